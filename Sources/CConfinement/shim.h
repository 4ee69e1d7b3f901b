#include <seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
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

// What the tests try from inside: Swift has no `fork`, and `ptrace` has variable arguments, too.
static inline int confinement_fork(void) { return fork(); }

static inline int confinement_trace_me(void) { return (int)ptrace(PTRACE_TRACEME, 0, 0, 0); }
