#define _GNU_SOURCE
#include "CFibers.h"
#include "Support.h"

#include <stdatomic.h>

static _Atomic(cfibers_lock_handler) current_handler;

void cfibers_set_lock_handler(cfibers_lock_handler handler) {
  atomic_store(&current_handler, handler);
}

#if CFIBERS_IS_SUPPORTED

#include <dlfcn.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

// The dynamic linker takes these functions, in the executable, for those of the C library. Outside
// fibers they only pass the call on. Being weak, they give way to another tool's.

static void *original(const char *name, _Atomic(void *) *cache) {
  void *function = atomic_load_explicit(cache, memory_order_relaxed);
  if (function == NULL) {
    function = dlsym(RTLD_NEXT, name);
    atomic_store_explicit(cache, function, memory_order_relaxed);
  }
  return function;
}

static long call(long number, const long *a) {
  static _Atomic(void *) cache;
  long (*real)(long, ...) = original("syscall", &cache);
  return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

bool cfibers_is_locked_here(const uint32_t *owner) {
  uint32_t thread = __atomic_load_n(owner, __ATOMIC_RELAXED) & FUTEX_TID_MASK;
  return thread != 0 && thread == (uint32_t)call(SYS_gettid, (long[6]){0});
}

/// Lets the engine run other fibers until the one that holds the lock has released it.
static void wait_for_other_fibers(const uint32_t *owner) {
  cfibers_lock_handler handler = atomic_load_explicit(&current_handler, memory_order_relaxed);
  if (handler == NULL || cfibers_current() == NULL) return;
  while (cfibers_is_locked_here(owner))
    if (!handler(owner)) return;
}

// `Synchronization.Mutex` calls it, with a word that holds the owner's number, if it is locked.
__attribute__((weak)) long syscall(long number, ...) {
  __builtin_va_list list;
  __builtin_va_start(list, number);
  long a[6];
  for (int i = 0; i < 6; i++) a[i] = __builtin_va_arg(list, long);
  __builtin_va_end(list);
  if (number == SYS_futex && (a[1] & FUTEX_CMD_MASK) == FUTEX_LOCK_PI)
    wait_for_other_fibers((const uint32_t *)a[0]);
  // The recorder of files, where it is linked, replaces these functions and sees the call.
  if (number == SYS_fsync) return fsync((int)a[0]);
  if (number == SYS_fdatasync) return fdatasync((int)a[0]);
  if (number == SYS_getrandom) cfibers_report(CFIBERS_DRAWS, true);
  return call(number, a);
}

static _Atomic(void *) original_lock;

static __attribute__((noinline)) int lock_when_free(pthread_mutex_t *mutex) {
  int (*real)(pthread_mutex_t *) = original("pthread_mutex_lock", &original_lock);
  // Only normal mutexes: with the other kinds, locking again on one thread has a meaning.
  if ((mutex->__data.__kind & 3) == PTHREAD_MUTEX_NORMAL)
    wait_for_other_fibers((const uint32_t *)&mutex->__data.__owner);
  return real(mutex);
}

// The runtime calls it dozens of times in a task's life, and the mutex is nearly always free.
__attribute__((weak)) int pthread_mutex_lock(pthread_mutex_t *mutex) {
  int (*real)(pthread_mutex_t *) = atomic_load_explicit(&original_lock, memory_order_relaxed);
  bool is_free = __atomic_load_n(&mutex->__data.__owner, __ATOMIC_RELAXED) == 0;
  return real != NULL && is_free ? real(mutex) : lock_when_free(mutex);
}

__attribute__((weak)) int pthread_create(
    pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *context) {
  static _Atomic(void *) cache;
  int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) =
      original("pthread_create", &cache);
  // Dispatch's own threads are seen as what is submitted to it. To look up the caller is slow, so the
  // handler is asked before.
  Dl_info caller;
  if (cfibers_report(CFIBERS_STARTS_THREAD, false)
      && (dladdr(__builtin_return_address(0), &caller) == 0 || caller.dli_fname == NULL
          || strstr(caller.dli_fname, "libdispatch") == NULL))
    cfibers_report(CFIBERS_STARTS_THREAD, true);
  return real(thread, attributes, body, context);
}

#else

bool cfibers_is_locked_here(const uint32_t *owner) { return false; }

#endif
