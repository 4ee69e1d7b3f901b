// Prints the processor seconds that libcrypto alone takes to open packets of QUIC with AES-128-GCM.
//
//   cc -O2 -o packets_alone packets_alone.c -lcrypto
//   packets_alone COUNT LENGTH [COUNT LENGTH]...
//
// Each packet has LENGTH octets of frames behind a header of 11. The mask of its header, its IV and its tag take the usual calls. All packets
// are one in the processor's cache, which a capture is not.
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { headerLength = 11, sampleLength = 16, tagLength = 16, longest = 65535 };

static void require(int isDone) {
  if (isDone == 1) return;
  fprintf(stderr, "libcrypto failed\n");
  exit(1);
}

static void openPackets(long count, int length) {
  static unsigned char header[headerLength], plain[longest + sampleLength], sealed[longest + sampleLength];
  unsigned char key[16] = {1}, iv[12] = {2}, tag[tagLength], mask[sampleLength];
  int written;
  EVP_CIPHER_CTX *sealing = EVP_CIPHER_CTX_new(), *opening = EVP_CIPHER_CTX_new(), *masking = EVP_CIPHER_CTX_new();
  require(EVP_EncryptInit_ex(sealing, EVP_aes_128_gcm(), NULL, key, iv));
  require(EVP_EncryptUpdate(sealing, NULL, &written, header, headerLength));
  require(EVP_EncryptUpdate(sealing, sealed, &written, plain, length));
  require(EVP_EncryptFinal_ex(sealing, sealed + length, &written));
  require(EVP_CIPHER_CTX_ctrl(sealing, EVP_CTRL_AEAD_GET_TAG, tagLength, tag));
  require(EVP_DecryptInit_ex(opening, EVP_aes_128_gcm(), NULL, key, iv));
  require(EVP_EncryptInit_ex(masking, EVP_aes_128_ecb(), NULL, key, NULL));
  require(EVP_CIPHER_CTX_set_padding(masking, 0));
  for (long packet = 0; packet < count; packet++) {
    require(EVP_EncryptUpdate(masking, mask, &written, sealed, sampleLength));
    require(EVP_DecryptInit_ex(opening, NULL, NULL, NULL, iv));
    require(EVP_DecryptUpdate(opening, NULL, &written, header, headerLength));
    require(EVP_DecryptUpdate(opening, plain, &written, sealed, length));
    require(EVP_CIPHER_CTX_ctrl(opening, EVP_CTRL_AEAD_SET_TAG, tagLength, tag));
    require(EVP_DecryptFinal_ex(opening, plain + length, &written));
  }
  EVP_CIPHER_CTX_free(sealing);
  EVP_CIPHER_CTX_free(opening);
  EVP_CIPHER_CTX_free(masking);
}

int main(int count, char **arguments) {
  if (count < 3 || count % 2 == 0) {
    fprintf(stderr, "usage: packets_alone COUNT LENGTH [COUNT LENGTH]...\n");
    return 64;
  }
  for (int index = 1; index < count; index += 2) {
    int length = atoi(arguments[index + 1]);
    if (length < 0 || length > longest) return 64;
    openPackets(atol(arguments[index]), length);
  }
  printf("%.3f\n", (double)clock() / CLOCKS_PER_SEC);
  return 0;
}
