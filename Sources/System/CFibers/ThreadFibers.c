#define _GNU_SOURCE
#include "BlockingCalls.h"
#include "CFibers.h"
#include "Support.h"

#if CFIBERS_IS_SUPPORTED

#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>

// A baton that goes from thread to thread: of a resumer and its thread, one runs and the other sleeps.

struct cfibers_thread {
  /// Whether the thread has the baton, and not its resumer.
  _Atomic(uint32_t) has_baton;
  bool has_finished;
  pid_t number;
  /// The number of the thread that has created this one, or the one that has created it.
  pid_t creator;
  struct cfibers_thread *next;
  void (*body)(void *);
  void *context;
};

static _Thread_local struct cfibers_thread *current;

/// Every thread that has not finished.
static struct cfibers_thread *all;
static atomic_flag all_lock = ATOMIC_FLAG_INIT;

static void lock_all(void) {
  while (atomic_flag_test_and_set_explicit(&all_lock, memory_order_acquire)) {}
}

static void unlock_all(void) { atomic_flag_clear_explicit(&all_lock, memory_order_release); }

static pid_t own_number(void) { return (pid_t)cfibers_system_call(SYS_gettid, (long[6]){0}); }

static void wait_for_baton(struct cfibers_thread *thread, uint32_t mine) {
  // The other side often answers within microseconds, but it needs a processor for that.
  while (atomic_load_explicit(&thread->has_baton, memory_order_acquire) != mine)
    cfibers_system_call(
        SYS_futex, (long[6]){(long)&thread->has_baton, FUTEX_WAIT_PRIVATE, (long)!mine, 0, 0, 0});
}

static void pass_baton(struct cfibers_thread *thread, uint32_t to_thread) {
  atomic_store_explicit(&thread->has_baton, to_thread, memory_order_release);
  cfibers_system_call(
      SYS_futex, (long[6]){(long)&thread->has_baton, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0});
}

static void *run(void *argument) {
  struct cfibers_thread *thread = argument;
  current = thread;
  __atomic_store_n(&thread->number, own_number(), __ATOMIC_RELEASE);
  wait_for_baton(thread, 1);
  thread->body(thread->context);
  thread->has_finished = true;
  current = NULL;
  pass_baton(thread, 0);
  return NULL;
}

struct cfibers_thread *cfibers_thread_create(void (*body)(void *), void *context) {
  struct cfibers_thread *thread = calloc(1, sizeof *thread);
  if (thread == NULL) return NULL;
  thread->body = body;
  thread->context = context;
  thread->creator = current != NULL ? current->creator : own_number();
  pthread_attr_t attributes;
  pthread_t handle;
  bool has_attributes = pthread_attr_init(&attributes) == 0;
  if (has_attributes) {
    pthread_attr_setstacksize(&attributes, cfibers_stack_size());
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  }
  bool has_started =
      has_attributes && cfibers_start_thread(&handle, &attributes, run, thread) == 0;
  if (has_attributes) pthread_attr_destroy(&attributes);
  if (!has_started) {
    free(thread);
    return NULL;
  }
  lock_all();
  thread->next = all;
  all = thread;
  unlock_all();
  return thread;
}

bool cfibers_thread_resume(struct cfibers_thread *thread) {
  pass_baton(thread, 1);
  wait_for_baton(thread, 0);
  bool has_finished = thread->has_finished;
  if (has_finished) {
    lock_all();
    struct cfibers_thread **place = &all;
    while (*place != thread) place = &(*place)->next;
    *place = thread->next;
    unlock_all();
    free(thread);
  }
  return has_finished;
}

void cfibers_thread_pause(void) {
  pass_baton(current, 0);
  wait_for_baton(current, 1);
}

bool cfibers_is_in_thread(void) { return current != NULL; }

bool cfibers_is_sibling(int32_t number) {
  if (current == NULL || number == current->number) return false;
  lock_all();
  struct cfibers_thread *thread = all;
  while (thread != NULL
         && (thread->creator != current->creator
             || __atomic_load_n(&thread->number, __ATOMIC_ACQUIRE) != number))
    thread = thread->next;
  unlock_all();
  return thread != NULL;
}

#else

struct cfibers_thread *cfibers_thread_create(void (*body)(void *), void *context) { return 0; }

bool cfibers_thread_resume(struct cfibers_thread *thread) { return true; }

void cfibers_thread_pause(void) {}

bool cfibers_is_in_thread(void) { return false; }

#endif
