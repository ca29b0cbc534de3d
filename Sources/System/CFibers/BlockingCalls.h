#ifndef C_FIBERS_BLOCKING_CALLS_H
#define C_FIBERS_BLOCKING_CALLS_H

#include "Support.h"

#if CFIBERS_IS_SUPPORTED
#include <pthread.h>
#include <stdint.h>
#include <time.h>

#pragma GCC visibility push(hidden)

/// A system call that is not looked at.
long cfibers_system_call(long number, const long *arguments);

/// A system call of the program, by syscall(2).
long cfibers_handle_system_call(long number, const long *arguments, uintptr_t caller);

/// pthread_create(3), not reported as a thread of the program.
int cfibers_start_thread(
    pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *context);

/// Whether the calling thread runs an exploration's tasks.
bool cfibers_is_exploring(void);

/// Whether a lock of this owner is one of another job of the calling thread's exploration.
bool cfibers_is_sibling(int32_t number);

/// Whether an address is in a library of the Swift runtime.
bool cfibers_is_runtime(uintptr_t address);

/// The length of a time, or the time since a clock's start, as far as it can be represented.
int64_t cfibers_nanoseconds(const struct timespec *time);

/// The nanoseconds until a deadline on a clock, as the calling function sees the clock; not negative.
int64_t cfibers_time_until(clockid_t clock, const struct timespec *deadline, uintptr_t caller);

/// The time on the system's clock when `left` nanoseconds are over.
struct timespec cfibers_real_deadline(clockid_t clock, int64_t left);

/// Lets other jobs run until nothing else can and the time is over. Returns false if no job of the program sleeps.
bool cfibers_sleep_in_engine(int64_t time, uintptr_t caller);

/// The next definition of a function behind the one of that name here.
void *cfibers_original(const char *name, void *_Atomic *cache);

#pragma GCC visibility pop
#endif

#endif
