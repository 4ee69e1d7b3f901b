#include <errno.h>
#include <seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

// Functions with variable arguments cannot be called from Swift, and the C library has none for Landlock: the calls
// themselves, by their numbers, which are the same on every architecture.

static inline long confinement_no_new_privileges(void) { return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); }

static inline long landlock_version(void) { return syscall(444, NULL, 0, 1U); }

static inline long landlock_create(const void *attributes, size_t length) {
  return syscall(444, attributes, length, 0U);
}

static inline long landlock_add(int ruleset, int kind, const void *rule) {
  return syscall(445, ruleset, kind, rule, 0U);
}

static inline long landlock_restrict(int ruleset) { return syscall(446, ruleset, 0U); }

// What the tests try from inside, as an attacker would: any call, by its number, with whatever its arguments are. The result is
// the call's, or an error's number below 0.
static inline long confinement_attempt(long number, long a, long b, long c, long d, long e, long f) {
  long result = syscall(number, a, b, c, d, e, f);
  return result == -1 ? -(long)errno : result;
}

// The processors that the calling thread may run on, a bit each. The length of the set in octets, or -1.
static inline long processor_affinity(void *set, size_t length) {
  return syscall(SYS_sched_getaffinity, 0, length, set);
}

// Closes the descriptors from `first` to `last`. 0, or -1 where the kernel does not have the call.
static inline long close_descriptors(unsigned first, unsigned last) {
#ifdef SYS_close_range
  return syscall(SYS_close_range, first, last, 0);
#else
  return syscall(436, first, last, 0);
#endif
}

// The process at the other end of a UNIX socket, as the kernel knew it when the two were connected; -1 where there is none.
static inline pid_t socket_peer(int descriptor) {
  struct { pid_t process; uid_t user; gid_t group; } peer;
  socklen_t length = sizeof peer;
  return getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 ? peer.process : -1;
}
