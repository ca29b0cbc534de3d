#define _GNU_SOURCE
#include "BlockingCalls.h"
#include "CFibers.h"

#include <stdatomic.h>

static _Atomic(cfibers_clock_handler) current_handler;
static _Thread_local void *clock_context;

void cfibers_set_clock_context(void *context) { clock_context = context; }

void cfibers_set_clock_handler(cfibers_clock_handler handler) {
  atomic_store(&current_handler, handler);
}

#if CFIBERS_IS_SUPPORTED

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <poll.h>
#include <pthread.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

// The dynamic linker takes these functions, in the executable, for those of the C library. A job of an exploration
// gets the exploration's time. On every other thread they only pass the call on.
//
// libdispatch gets the system's time everywhere: its deadlines are compared on threads of its own.

enum { NANOSECONDS = 1000000000 };

int64_t cfibers_nanoseconds(const struct timespec *time) {
  int64_t result;
  if (__builtin_mul_overflow((int64_t)time->tv_sec, NANOSECONDS, &result)
      || __builtin_add_overflow(result, (int64_t)time->tv_nsec, &result))
    return time->tv_sec < 0 ? INT64_MIN : INT64_MAX;
  return result;
}

static int real_time(clockid_t clock, struct timespec *time) {
  static void *_Atomic cache;
  return ((int (*)(clockid_t, struct timespec *))cfibers_original("clock_gettime", &cache))(
      clock, time);
}

int64_t cfibers_real_nanoseconds(void) {
  struct timespec time = {0, 0};
  real_time(CLOCK_MONOTONIC, &time);
  return cfibers_nanoseconds(&time);
}

static pthread_once_t dispatch_once = PTHREAD_ONCE_INIT;
static struct {
  uintptr_t start;
  uintptr_t end;
} dispatch_code;

static int match_dispatch(struct dl_phdr_info *info, size_t size, void *function) {
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *header = &info->dlpi_phdr[i];
    uintptr_t start = info->dlpi_addr + header->p_vaddr;
    if (header->p_type != PT_LOAD || (uintptr_t)function < start
        || (uintptr_t)function >= start + header->p_memsz)
      continue;
    dispatch_code.start = start;
    dispatch_code.end = start + header->p_memsz;
    return 1;
  }
  return 0;
}

static void find_dispatch(void) {
  void *function = dlsym(RTLD_NEXT, "dispatch_time");
  if (function != NULL) dl_iterate_phdr(match_dispatch, function);
}

/// Whether an address is in the code of libdispatch.
static bool is_dispatch(uintptr_t address) {
  pthread_once(&dispatch_once, find_dispatch);
  return address >= dispatch_code.start && address < dispatch_code.end;
}

static bool is_wall_clock(clockid_t clock) {
  switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_BOOTTIME: return true;
    default: return false;
  }
}

/// Reads a clock of the system, and the monotonic clock at nearly the same time, but not later.
static int read_both(clockid_t clock, struct timespec *time, int64_t *monotonic) {
  // A thread may lose the processor between the two.
  enum { LONGEST = 20000, TRIES = 100 };
  int result;
  int64_t after = cfibers_real_nanoseconds();
  for (int i = 0; i < TRIES; i++) {
    *monotonic = after;
    result = real_time(clock, time);
    after = cfibers_real_nanoseconds();
    if (result != 0 || after - *monotonic <= LONGEST) break;
  }
  return result;
}

/// Reads a clock as the calling function sees it: a job of an exploration gets the exploration's time.
static int read_clock(clockid_t clock, struct timespec *time, uintptr_t caller) {
  cfibers_clock_handler handler = atomic_load_explicit(&current_handler, memory_order_relaxed);
  void *context = clock_context;
  if (handler == NULL || context == NULL || !is_wall_clock(clock) || is_dispatch(caller))
    return real_time(clock, time);
  int64_t monotonic;
  int result = read_both(clock, time, &monotonic);
  if (result != 0) return result;
  int64_t now = handler(context, (int)clock, cfibers_nanoseconds(time), monotonic);
  time->tv_sec = now / NANOSECONDS;
  time->tv_nsec = now % NANOSECONDS;
  return 0;
}

int64_t cfibers_time_until(clockid_t clock, const struct timespec *deadline, uintptr_t caller) {
  struct timespec now = {0, 0};
  read_clock(clock, &now, caller);
  int64_t left;
  if (__builtin_sub_overflow(cfibers_nanoseconds(deadline), cfibers_nanoseconds(&now), &left))
    return INT64_MAX;
  return left < 0 ? 0 : left;
}

struct timespec cfibers_real_deadline(clockid_t clock, int64_t left) {
  struct timespec now = {0, 0};
  real_time(clock, &now);
  int64_t deadline;
  if (__builtin_add_overflow(cfibers_nanoseconds(&now), left, &deadline)) deadline = INT64_MAX;
  return (struct timespec){deadline / NANOSECONDS, deadline % NANOSECONDS};
}

__attribute__((weak)) int clock_gettime(clockid_t clock, struct timespec *time) {
  return read_clock(clock, time, (uintptr_t)__builtin_return_address(0));
}

__attribute__((weak)) int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  static void *_Atomic cache;
  if (clock_context == NULL)
    return ((int (*)(struct timeval *, void *))cfibers_original("gettimeofday", &cache))(time, zone);
  struct timespec precise;
  int result = read_clock(CLOCK_REALTIME, &precise, (uintptr_t)__builtin_return_address(0));
  if (result == 0) *time = (struct timeval){precise.tv_sec, precise.tv_nsec / 1000};
  return result;
}

__attribute__((weak)) time_t time(time_t *result) {
  struct timespec precise = {0, 0};
  read_clock(CLOCK_REALTIME, &precise, (uintptr_t)__builtin_return_address(0));
  if (result != NULL) *result = precise.tv_sec;
  return precise.tv_sec;
}

// MARK: - Sleeping

/// Sleeps in the engine. Returns whether it has.
static bool sleep_here(int64_t time, uintptr_t caller) {
  return cfibers_is_exploring() && !is_dispatch(caller) && cfibers_sleep_in_engine(time, caller);
}

__attribute__((weak)) int nanosleep(const struct timespec *time, struct timespec *rest) {
  if (cfibers_is_exploring() && time->tv_nsec >= 0 && time->tv_nsec < NANOSECONDS
      && time->tv_sec >= 0
      && sleep_here(cfibers_nanoseconds(time), (uintptr_t)__builtin_return_address(0)))
    return 0;
  static void *_Atomic cache;
  return ((int (*)(const struct timespec *, struct timespec *))cfibers_original(
      "nanosleep", &cache))(time, rest);
}

__attribute__((weak)) int usleep(useconds_t microseconds) {
  if (sleep_here((int64_t)microseconds * 1000, (uintptr_t)__builtin_return_address(0))) return 0;
  static void *_Atomic cache;
  return ((int (*)(useconds_t))cfibers_original("usleep", &cache))(microseconds);
}

__attribute__((weak)) unsigned sleep(unsigned seconds) {
  if (sleep_here((int64_t)seconds * NANOSECONDS, (uintptr_t)__builtin_return_address(0))) return 0;
  static void *_Atomic cache;
  return ((unsigned (*)(unsigned))cfibers_original("sleep", &cache))(seconds);
}

// MARK: - Calls that block the thread

static _Atomic(cfibers_delay_handler) delay_handler;

void cfibers_set_delay_handler(cfibers_delay_handler handler) {
  atomic_store(&delay_handler, handler);
}

/// Tells that a call has taken real time.
static void pass_time(int64_t start) {
  cfibers_delay_handler handler = atomic_load_explicit(&delay_handler, memory_order_relaxed);
  if (handler != NULL) handler(clock_context, cfibers_real_nanoseconds() - start);
}

#define DEFINE_BLOCKING_CALL(type, name, parameters, ...) \
  __attribute__((weak)) type name parameters { \
    static void *_Atomic cache; \
    __typeof__(&name) real = (__typeof__(&name))cfibers_original(#name, &cache); \
    if (clock_context == NULL) return real(__VA_ARGS__); \
    int64_t start = cfibers_real_nanoseconds(); \
    type result = real(__VA_ARGS__); \
    int error = errno; \
    pass_time(start); \
    errno = error; \
    return result; \
  }
DEFINE_BLOCKING_CALL(int, poll, (struct pollfd * sockets, nfds_t count, int limit), sockets, count, limit)
DEFINE_BLOCKING_CALL(
    int, ppoll,
    (struct pollfd * sockets, nfds_t count, const struct timespec *limit, const sigset_t *signals),
    sockets, count, limit, signals)
DEFINE_BLOCKING_CALL(
    int, select, (int count, fd_set *in, fd_set *out, fd_set *other, struct timeval *limit), count, in,
    out, other, limit)
DEFINE_BLOCKING_CALL(pid_t, waitpid, (pid_t process, int *status, int options), process, status, options)
#undef DEFINE_BLOCKING_CALL

#else

void cfibers_set_delay_handler(cfibers_delay_handler handler) {}

int64_t cfibers_real_nanoseconds(void) { return 0; }

#endif
