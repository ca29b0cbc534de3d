#define _GNU_SOURCE
#include "BlockingCalls.h"
#include "CFibers.h"

#include <stdatomic.h>

static _Atomic(cfibers_block_handler) current_handler;

void cfibers_set_block_handler(cfibers_block_handler handler) {
  atomic_store(&current_handler, handler);
}

#if CFIBERS_IS_SUPPORTED

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <linux/futex.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <time.h>

// The dynamic linker takes these functions, in the executable, for those of the C library and of libdispatch.
// On threads that explore nothing they only pass the call on. Being weak, they give way to another tool's.
//
// A call that would block is not made: the handler lets other jobs run until the call would no longer block,
// and it is tried again.

void *cfibers_original(const char *name, void *_Atomic *cache) {
  void *function = atomic_load_explicit(cache, memory_order_relaxed);
  if (function == NULL) {
    // Without a version, dlsym(3) may find the conditions of an older C library.
    if (strncmp(name, "pthread_cond_", 13) == 0) function = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
    if (function == NULL) function = dlsym(RTLD_NEXT, name);
    atomic_store_explicit(cache, function, memory_order_relaxed);
  }
  return function;
}

/// The C library's function of this name, with the type of the one that is being defined.
#define REAL(name) \
  ({ \
    static void *_Atomic cache; \
    (__typeof__(&name))cfibers_original(#name, &cache); \
  })

#define CALLER ((uintptr_t)__builtin_return_address(0))

enum answer { CALL_IT = 0, TRY_AGAIN = 1, TIME_OUT = 2 };

enum { NO_LIMIT = -1 };

/// Lets other jobs run until `may_continue`, or until nothing else can and `limit` nanoseconds are over.
static enum answer wait_until(
    int primitive, bool (*may_continue)(void *), void *object, int64_t limit, uintptr_t caller) {
  cfibers_block_handler handler = atomic_load_explicit(&current_handler, memory_order_relaxed);
  if (handler == NULL || !cfibers_is_exploring()) return CALL_IT;
  return (enum answer)handler(primitive, may_continue, object, limit, caller);
}

/// Tells that the program uses a primitive, and returns whether a job of it does.
static bool meet(int primitive, uintptr_t caller) {
  return wait_until(primitive, NULL, NULL, NO_LIMIT, caller) != CALL_IT;
}

static uint32_t own_number(void) { return (uint32_t)cfibers_system_call(SYS_gettid, (long[6]){0}); }

// MARK: - Mutexes

long cfibers_system_call(long number, const long *a) {
  static void *_Atomic cache;
  long (*real)(long, ...) = cfibers_original("syscall", &cache);
  return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

static bool is_word_free(void *word) {
  return (__atomic_load_n((const uint32_t *)word, __ATOMIC_RELAXED) & FUTEX_TID_MASK) == 0;
}

struct changed_word {
  const uint32_t *word;
  uint32_t value;
};

static bool has_changed(void *object) {
  const struct changed_word *changed = object;
  return __atomic_load_n(changed->word, __ATOMIC_RELAXED) != changed->value;
}

/// Whether the owner of a lock is another job. On fibers every job has the thread's number.
static bool is_of_other_job(uint32_t owner) {
  return cfibers_is_in_thread() ? cfibers_is_sibling((int32_t)owner) : owner == own_number();
}

/// Waits for a `Synchronization.Mutex`, whose word has its owner's number. The runtime's message for a
/// recursive call is right only where each job has a number of its own, in threads.
static void wait_for_mutex(uint32_t *word, uintptr_t caller) {
  while (!is_word_free(word)) {
    if (!is_of_other_job(__atomic_load_n(word, __ATOMIC_RELAXED) & FUTEX_TID_MASK)) return;
    if (wait_until(CFIBERS_MUTEX, is_word_free, word, NO_LIMIT, caller) == CALL_IT) return;
  }
}

// `Synchronization.Mutex` calls it if it is locked; libdispatch where a queue or a group is busy.
long cfibers_handle_system_call(long number, const long *a, uintptr_t caller) {
  if (number == SYS_futex && cfibers_is_exploring()) {
    uint32_t *word = (uint32_t *)a[0];
    switch (a[1] & FUTEX_CMD_MASK) {
      case FUTEX_LOCK_PI: wait_for_mutex(word, caller); break;
      case FUTEX_WAIT: {
        struct changed_word changed = {word, (uint32_t)a[2]};
        const struct timespec *limit = (const struct timespec *)a[3];
        int64_t left = limit == NULL ? NO_LIMIT : cfibers_nanoseconds(limit);
        switch (wait_until(CFIBERS_FUTEX, has_changed, &changed, left, caller)) {
          case CALL_IT: break;
          case TRY_AGAIN: return 0;
          case TIME_OUT: errno = ETIMEDOUT; return -1;
        }
      }
    }
  }
  // `Synchronization.Mutex` asks for it at its first use on a thread.
  if (number == SYS_gettid && cfibers_is_exploring() && !cfibers_is_runtime(caller))
    meet(CFIBERS_MUTEX, caller);
  if (number == SYS_getrandom) cfibers_report(CFIBERS_DRAWS, true);
  return cfibers_system_call(number, a);
}

// CFileRecorder has the same function. Whichever the linker takes serves both.
__attribute__((weak)) long syscall(long number, ...) {
  __builtin_va_list list;
  __builtin_va_start(list, number);
  long a[6];
  for (int i = 0; i < 6; i++) a[i] = __builtin_va_arg(list, long);
  __builtin_va_end(list);
  if (number == SYS_fsync) return fsync((int)a[0]);
  if (number == SYS_fdatasync) return fdatasync((int)a[0]);
  return cfibers_handle_system_call(number, a, CALLER);
}

/// Looks for the thread's number in the thread-local variables of the program, the first object of the process.
static int forget_number(struct dl_phdr_info *info, size_t size, void *number) {
  if (size < offsetof(struct dl_phdr_info, dlpi_tls_data) + sizeof info->dlpi_tls_data) return 1;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    if (info->dlpi_phdr[i].p_type != PT_TLS || info->dlpi_tls_data == NULL) continue;
    uint32_t *words = info->dlpi_tls_data;
    for (size_t word = 0; word < info->dlpi_phdr[i].p_memsz / sizeof *words; word++)
      if (words[word] == *(uint32_t *)number) words[word] = 0;
  }
  return 1;
}

void cfibers_forget_thread_numbers(void) {
  uint32_t number = own_number();
  dl_iterate_phdr(forget_number, &number);
}

static bool is_mutex_free(void *object) {
  const pthread_mutex_t *mutex = object;
  return __atomic_load_n(&mutex->__data.__owner, __ATOMIC_RELAXED) == 0;
}

static void *_Atomic original_lock;

static __attribute__((noinline)) int lock_when_free(pthread_mutex_t *mutex, uintptr_t caller) {
  int (*real)(pthread_mutex_t *) = cfibers_original("pthread_mutex_lock", &original_lock);
  int kind = mutex->__data.__kind & 3;
  bool is_normal = kind == PTHREAD_MUTEX_NORMAL || kind == PTHREAD_MUTEX_ADAPTIVE_NP;
  if (cfibers_is_exploring() && !cfibers_is_runtime(caller))
    meet(is_normal ? CFIBERS_LOCK : CFIBERS_RECURSIVE_LOCK, caller);
  while (cfibers_is_exploring() && !is_mutex_free(mutex)
         && is_of_other_job((uint32_t)mutex->__data.__owner)
         // On fibers the owner may be the same job. The runtime's own locks are looked at elsewhere.
         && (is_normal || cfibers_is_in_thread() || !cfibers_is_runtime(caller)))
    if (wait_until(
            is_normal ? CFIBERS_LOCK : CFIBERS_RECURSIVE_LOCK, is_mutex_free, mutex, NO_LIMIT, caller)
        == CALL_IT)
      break;
  return real(mutex);
}

// The runtime calls it dozens of times in a task's life, and the mutex is nearly always free.
__attribute__((weak)) int pthread_mutex_lock(pthread_mutex_t *mutex) {
  int (*real)(pthread_mutex_t *) = atomic_load_explicit(&original_lock, memory_order_relaxed);
  bool is_free = __atomic_load_n(&mutex->__data.__owner, __ATOMIC_RELAXED) == 0;
  return real != NULL && is_free && (!cfibers_is_exploring() || cfibers_is_runtime(CALLER))
      ? real(mutex)
      : lock_when_free(mutex, CALLER);
}

__attribute__((weak)) int pthread_mutex_trylock(pthread_mutex_t *mutex) {
  if (cfibers_is_exploring() && !cfibers_is_runtime(CALLER)) meet(CFIBERS_ATTEMPT, CALLER);
  return REAL(pthread_mutex_trylock)(mutex);
}

// The runtime calls this one as often.
__attribute__((weak)) int pthread_mutex_unlock(pthread_mutex_t *mutex) {
  int result = REAL(pthread_mutex_unlock)(mutex);
  if (cfibers_is_exploring() && !cfibers_is_runtime(CALLER)) meet(CFIBERS_RELEASE, CALLER);
  return result;
}

// NSLock.lock(before:) calls it.
__attribute__((weak)) int pthread_mutex_timedlock(
    pthread_mutex_t *mutex, const struct timespec *deadline) {
  if (!cfibers_is_exploring()) return REAL(pthread_mutex_timedlock)(mutex, deadline);
  int kind = mutex->__data.__kind & 3;
  bool is_normal = kind == PTHREAD_MUTEX_NORMAL || kind == PTHREAD_MUTEX_ADAPTIVE_NP;
  // On fibers, other jobs could acquire a recursive lock.
  meet(is_normal ? CFIBERS_LOCK : CFIBERS_CONDITION, CALLER);
  while (true) {
    int result = REAL(pthread_mutex_trylock)(mutex);
    if (result != EBUSY) return result;
    int64_t left = cfibers_time_until(CLOCK_REALTIME, deadline, CALLER);
    switch (wait_until(CFIBERS_LOCK, is_mutex_free, mutex, left, CALLER)) {
      case CALL_IT: {
        struct timespec real_deadline = cfibers_real_deadline(CLOCK_REALTIME, left);
        return REAL(pthread_mutex_timedlock)(mutex, &real_deadline);
      }
      case TRY_AGAIN: continue;
      case TIME_OUT: return ETIMEDOUT;
    }
  }
}

// MARK: - Read-write locks

static bool is_free_to_read(void *object) {
  const pthread_rwlock_t *lock = object;
  return __atomic_load_n(&lock->__data.__cur_writer, __ATOMIC_RELAXED) == 0;
}

static bool is_free_to_write(void *object) {
  const pthread_rwlock_t *lock = object;
  enum { READER_SHIFT = 3 };
  return is_free_to_read(object)
      && __atomic_load_n(&lock->__data.__readers, __ATOMIC_RELAXED) >> READER_SHIFT == 0;
}

#define DEFINE_LOCKING(name, attempt, is_free) \
  __attribute__((weak)) int name(pthread_rwlock_t *lock) { \
    if (cfibers_is_exploring() && meet(CFIBERS_READ_WRITE_LOCK, CALLER)) { \
      while ((uint32_t)lock->__data.__cur_writer != own_number()) { \
        int result = attempt(lock); \
        if (result != EBUSY) return result; \
        if (wait_until(CFIBERS_READ_WRITE_LOCK, is_free, lock, NO_LIMIT, CALLER) == CALL_IT) break; \
      } \
    } \
    return REAL(name)(lock); \
  }
DEFINE_LOCKING(pthread_rwlock_rdlock, pthread_rwlock_tryrdlock, is_free_to_read)
DEFINE_LOCKING(pthread_rwlock_wrlock, pthread_rwlock_trywrlock, is_free_to_write)
#undef DEFINE_LOCKING

__attribute__((weak)) int pthread_rwlock_unlock(pthread_rwlock_t *lock) {
  int result = REAL(pthread_rwlock_unlock)(lock);
  if (cfibers_is_exploring()) meet(CFIBERS_RELEASE, CALLER);
  return result;
}

// MARK: - Conditions

/// A job that waits for a condition. The thread's lock of the list is held for some instructions.
struct waiter {
  const void *condition;
  struct waiter *next;
  bool is_signalled;
};

static struct waiter *waiters;
static atomic_flag waiters_lock = ATOMIC_FLAG_INIT;

static void lock_waiters(void) {
  while (atomic_flag_test_and_set_explicit(&waiters_lock, memory_order_acquire)) {}
}

static void unlock_waiters(void) {
  atomic_flag_clear_explicit(&waiters_lock, memory_order_release);
}

static void add_waiter(struct waiter *waiter) {
  lock_waiters();
  struct waiter **end = &waiters;
  while (*end != NULL) end = &(*end)->next;
  *end = waiter;
  unlock_waiters();
}

static void remove_waiter(struct waiter *waiter) {
  lock_waiters();
  struct waiter **place = &waiters;
  while (*place != NULL && *place != waiter) place = &(*place)->next;
  if (*place != NULL) *place = waiter->next;
  unlock_waiters();
}

static void signal_waiters(const void *condition, bool all) {
  lock_waiters();
  for (struct waiter *waiter = waiters; waiter != NULL; waiter = waiter->next) {
    if (waiter->condition != condition || waiter->is_signalled) continue;
    __atomic_store_n(&waiter->is_signalled, true, __ATOMIC_RELEASE);
    if (!all) break;
  }
  unlock_waiters();
}

static bool is_signalled(void *object) {
  return __atomic_load_n(&((struct waiter *)object)->is_signalled, __ATOMIC_ACQUIRE);
}

/// Waits for a condition in the engine. Returns whether the C library must wait instead.
static bool wait_here(
    pthread_cond_t *condition, pthread_mutex_t *mutex, int64_t limit, int *result,
    uintptr_t caller) {
  if (!cfibers_is_exploring() || !meet(CFIBERS_CONDITION, caller)) return false;
  struct waiter waiter = {condition, NULL, false};
  add_waiter(&waiter);
  pthread_mutex_unlock(mutex);
  enum answer answer = wait_until(CFIBERS_CONDITION, is_signalled, &waiter, limit, caller);
  remove_waiter(&waiter);
  pthread_mutex_lock(mutex);
  *result = answer == TIME_OUT ? ETIMEDOUT : 0;
  return answer != CALL_IT || waiter.is_signalled;
}

__attribute__((weak)) int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
  int result;
  if (wait_here(condition, mutex, NO_LIMIT, &result, CALLER)) return result;
  return REAL(pthread_cond_wait)(condition, mutex);
}

__attribute__((weak)) int pthread_cond_timedwait(
    pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *deadline) {
  if (!cfibers_is_exploring()) return REAL(pthread_cond_timedwait)(condition, mutex, deadline);
  // The bit in which the C library keeps the clock of pthread_condattr_setclock(3).
  enum { HAS_MONOTONIC_CLOCK = 2 };
  clockid_t clock =
      condition->__data.__wrefs & HAS_MONOTONIC_CLOCK ? CLOCK_MONOTONIC : CLOCK_REALTIME;
  int64_t left = cfibers_time_until(clock, deadline, CALLER);
  int result;
  if (wait_here(condition, mutex, left, &result, CALLER)) return result;
  struct timespec real_deadline = cfibers_real_deadline(clock, left);
  return REAL(pthread_cond_timedwait)(condition, mutex, &real_deadline);
}

__attribute__((weak)) int pthread_cond_signal(pthread_cond_t *condition) {
  if (__atomic_load_n(&waiters, __ATOMIC_RELAXED) != NULL) signal_waiters(condition, false);
  return REAL(pthread_cond_signal)(condition);
}

__attribute__((weak)) int pthread_cond_broadcast(pthread_cond_t *condition) {
  if (__atomic_load_n(&waiters, __ATOMIC_RELAXED) != NULL) signal_waiters(condition, true);
  return REAL(pthread_cond_broadcast)(condition);
}

// MARK: - Semaphores

static bool has_signals(void *object) {
  int value = 0;
  return sem_getvalue(object, &value) != 0 || value > 0;
}

/// Acquires a semaphore in the engine. Returns whether it has, or has timed out.
static bool acquire_here(sem_t *semaphore, int64_t limit, int *result, uintptr_t caller) {
  if (!cfibers_is_exploring() || !meet(CFIBERS_SEMAPHORE, caller)) return false;
  while (true) {
    *result = sem_trywait(semaphore);
    if (*result == 0 || errno != EAGAIN) return true;
    switch (wait_until(CFIBERS_SEMAPHORE, has_signals, semaphore, limit, caller)) {
      case CALL_IT: return false;
      case TRY_AGAIN: continue;
      case TIME_OUT: errno = ETIMEDOUT; return true;
    }
  }
}

__attribute__((weak)) int sem_wait(sem_t *semaphore) {
  int result;
  if (acquire_here(semaphore, NO_LIMIT, &result, CALLER)) return result;
  return REAL(sem_wait)(semaphore);
}

__attribute__((weak)) int sem_timedwait(sem_t *semaphore, const struct timespec *deadline) {
  if (!cfibers_is_exploring()) return REAL(sem_timedwait)(semaphore, deadline);
  int64_t left = cfibers_time_until(CLOCK_REALTIME, deadline, CALLER);
  int result;
  if (acquire_here(semaphore, left, &result, CALLER)) return result;
  struct timespec real_deadline = cfibers_real_deadline(CLOCK_REALTIME, left);
  return REAL(sem_timedwait)(semaphore, &real_deadline);
}

// MARK: - Sleeping

static bool is_never(void *object) { return false; }

bool cfibers_sleep_in_engine(int64_t time, uintptr_t caller) {
  return wait_until(CFIBERS_SLEEP, is_never, NULL, time, caller) == TIME_OUT;
}

// MARK: - Queues

// libdispatch keeps the number of the thread that runs a queue, and ends the process if that thread
// submits to the queue and waits.
#define DEFINE_SUBMISSION(name) \
  __attribute__((weak)) void name(void *queue, void *work) { \
    static void *_Atomic cache; \
    void (*real)(void *, void *) = (void (*)(void *, void *))cfibers_original(#name, &cache); \
    if (cfibers_is_exploring()) meet(CFIBERS_QUEUE, CALLER); \
    real(queue, work); \
    if (cfibers_is_exploring()) meet(CFIBERS_RELEASE, CALLER); \
  }
DEFINE_SUBMISSION(dispatch_sync)
DEFINE_SUBMISSION(dispatch_barrier_sync)
DEFINE_SUBMISSION(dispatch_async_and_wait)
#undef DEFINE_SUBMISSION

// They reach sem_wait(3) and sem_post(3) only where a thread has to wait.
__attribute__((weak)) long dispatch_semaphore_wait(void *semaphore, uint64_t deadline) {
  static void *_Atomic cache;
  long (*real)(void *, uint64_t) =
      (long (*)(void *, uint64_t))cfibers_original("dispatch_semaphore_wait", &cache);
  if (cfibers_is_exploring()) meet(CFIBERS_SEMAPHORE, CALLER);
  return real(semaphore, deadline);
}

__attribute__((weak)) long dispatch_semaphore_signal(void *semaphore) {
  static void *_Atomic cache;
  long (*real)(void *) = (long (*)(void *))cfibers_original("dispatch_semaphore_signal", &cache);
  long result = real(semaphore);
  if (cfibers_is_exploring()) meet(CFIBERS_RELEASE, CALLER);
  return result;
}

// MARK: - Threads

int cfibers_start_thread(
    pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *context) {
  return REAL(pthread_create)(thread, attributes, body, context);
}

__attribute__((weak)) int pthread_create(
    pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *context) {
  // Dispatch's own threads are seen as what is submitted to it. To look up the caller is slow, so the
  // handler is asked before.
  Dl_info caller;
  if (cfibers_report(CFIBERS_STARTS_THREAD, false)
      && (dladdr(__builtin_return_address(0), &caller) == 0 || caller.dli_fname == NULL
          || strstr(caller.dli_fname, "libdispatch") == NULL))
    cfibers_report(CFIBERS_STARTS_THREAD, true);
  return cfibers_start_thread(thread, attributes, body, context);
}

#else

void cfibers_forget_thread_numbers(void) {}

#endif
