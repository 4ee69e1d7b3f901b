#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
