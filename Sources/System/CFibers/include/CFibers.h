#ifndef C_FIBERS_H
#define C_FIBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// A function call on a stack of its own, which can be left in the middle and continued later.
///
/// A fiber belongs to the thread that created it. Only that thread may resume or pause it.
typedef struct cfibers_fiber cfibers_fiber;

/// The number of thread-local words of the Swift runtime that are swapped with the stack.
enum { CFIBERS_SLOTS = 4 };

/// The largest block of thread-locals, in words, that a runtime library may have.
enum { CFIBERS_MOST_WORDS = 8 };

/// The libraries whose thread-locals are swapped with the stack.
enum { CFIBERS_CONCURRENCY = 0, CFIBERS_CORE = 1, CFIBERS_LIBRARIES = 2 };

/// Finds the thread-locals of the Swift runtime. Call it once, before every other function.
///
/// \returns Why fibers cannot work in this process, or NULL.
const char *_Nullable cfibers_prepare(void);

/// Copies a library's thread-locals of the calling thread. A cached thread number is copied as 0.
///
/// \param words Room for `CFIBERS_MOST_WORDS` words.
/// \returns The number of words copied.
size_t cfibers_read_words(int library, uintptr_t *words);

/// Chooses the words that are swapped with the stack. Call it before the first fiber is created.
///
/// \param libraries The library of each of the `CFIBERS_SLOTS` words.
/// \param indices The position of each word in its library's block.
void cfibers_choose_words(const int *libraries, const size_t *indices);

/// The runtime's current task on the calling thread, as an address, or 0.
uintptr_t cfibers_current_task(void);

/// Calls `body` while an access to `variable` is in the calling thread's access set.
///
/// \param body Called with the context and the address of the access.
/// \returns Whether the runtime exports the functions for it; if not, `body` is not called.
bool cfibers_during_access(
    void *variable, void (*body)(void *_Nullable context, uintptr_t access),
    void *_Nullable context);

/// Runs `body` on a new thread and waits for its end.
///
/// \returns Whether the system could start a thread.
bool cfibers_on_new_thread(void (*body)(void *_Nullable context), void *_Nullable context);

/// Creates a fiber that calls `body` when it is resumed for the first time.
///
/// \returns NULL if the system provides no memory for a stack.
cfibers_fiber *_Nullable cfibers_create(
    void (*body)(void *_Nullable context), void *_Nullable context);

/// Runs the fiber until it pauses or its body returns.
///
/// \returns Whether the body has returned.
bool cfibers_resume(cfibers_fiber *fiber);

/// Returns from the `cfibers_resume` that runs the current fiber. There must be one.
void cfibers_pause(void);

/// Makes the stack of a fiber that has finished or has never been resumed available to others.
///
/// On another thread than the fiber's, the stack is freed.
void cfibers_recycle(cfibers_fiber *fiber);

/// The innermost fiber that runs on the calling thread, or NULL.
cfibers_fiber *_Nullable cfibers_current(void);

/// Whether the fiber was created by the calling thread.
bool cfibers_is_mine(const cfibers_fiber *fiber);

/// Whether the fiber runs: it, or a fiber that it has resumed, is the current one.
bool cfibers_is_running(const cfibers_fiber *fiber);

/// Notes how the stack looks under the lock on a task's status records.
///
/// Call it in a fiber, in a cancellation handler that `Task.cancel()` has called.
/// \returns Whether `swift_task_cancel` was found on the stack.
bool cfibers_learn_runtime_lock(void);

/// Whether a function on the current fiber's stack holds the lock on a task's status records.
///
/// The runtime calls cancellation and escalation handlers under this lock. The lock is recursive
/// and belongs to the thread, so it does not keep out another fiber of the same thread.
bool cfibers_holds_runtime_lock(void);

/// What a job of the program may wait for.
enum {
  /// `Synchronization.Mutex`.
  CFIBERS_MUTEX = 0,
  /// A POSIX mutex of the normal kind, such as in NSLock.
  CFIBERS_LOCK = 1,
  CFIBERS_RECURSIVE_LOCK = 2,
  CFIBERS_READ_WRITE_LOCK = 3,
  CFIBERS_CONDITION = 4,
  CFIBERS_SEMAPHORE = 5,
  /// A dispatch queue that runs a block while its caller waits.
  CFIBERS_QUEUE = 6,
  /// Anything that waits in futex(2), such as for a busy dispatch queue or group.
  CFIBERS_FUTEX = 7,
  /// An attempt to acquire a POSIX mutex, which does not wait.
  CFIBERS_ATTEMPT = 8,
  /// A POSIX mutex, a read-write lock, a semaphore or a queue has been released.
  CFIBERS_RELEASE = 9,
  /// sleep(3), usleep(3) or nanosleep(2), such as in `Thread.sleep`.
  CFIBERS_SLEEP = 10,
};

/// Called on a thread that has a task executor, where it uses a primitive or would wait for one.
///
/// \param primitive What is used.
/// \param may_continue Whether the wait may be over; NULL where the primitive is only used.
/// \param limit The wait's time limit in nanoseconds, or a negative number.
/// \param caller The address of the call.
/// \returns 0 if the C library is to wait, or no job of the program waits; 1 if the caller is to try again;
/// 2 if the wait has timed out.
typedef int (*cfibers_block_handler)(
    int primitive, bool (*_Nullable may_continue)(void *_Nullable object), void *_Nullable object,
    int64_t limit, uintptr_t caller);

/// Makes `Synchronization.Mutex` ask for the calling thread's number again, at its next use in each file of the
/// program.
///
/// The mutex is inlined into the program and keeps the number in a thread-local variable. It asks for the number
/// by syscall(2), which is how its first use on a thread is seen.
void cfibers_forget_thread_numbers(void);

/// Sets what is called, on every thread that has a task executor, before it would block.
///
/// Covers code that the dynamic linker binds to the executable.
void cfibers_set_block_handler(cfibers_block_handler _Nullable handler);

/// Called where a thread with a clock context reads a clock.
///
/// \param context The context.
/// \param clock The clock's number. Source: clock_gettime(3).
/// \param time The nanoseconds that the system's clock shows.
/// \param monotonic What the system's monotonic clock has shown just before.
/// \returns The nanoseconds that the caller reads.
typedef int64_t (*cfibers_clock_handler)(void *context, int clock, int64_t time, int64_t monotonic);

/// Sets what is called, on every thread that has a clock context, where it reads a clock.
///
/// Covers code that the dynamic linker binds to the executable, except libdispatch.
void cfibers_set_clock_handler(cfibers_clock_handler _Nullable handler);

/// Called where a thread with a clock context has waited in poll(2), select(2) or waitpid(2).
///
/// \param context The context.
/// \param duration The nanoseconds that the call has taken.
typedef void (*cfibers_delay_handler)(void *context, int64_t duration);

/// Sets what is called where a thread with a clock context has waited.
void cfibers_set_delay_handler(cfibers_delay_handler _Nullable handler);

/// Sets the clock context of the calling thread, or NULL.
void cfibers_set_clock_context(void *_Nullable context);

/// The monotonic clock of the system, in nanoseconds, also where the handler of clocks changes it.
int64_t cfibers_real_nanoseconds(void);

/// A thread that runs only while the thread that resumes it waits.
typedef struct cfibers_thread cfibers_thread;

/// Creates a thread that calls `body` when it is resumed for the first time.
///
/// \returns NULL if the system provides no thread.
cfibers_thread *_Nullable cfibers_thread_create(
    void (*body)(void *_Nullable context), void *_Nullable context);

/// Lets the thread run until it pauses or its body returns; then it is freed.
///
/// \returns Whether the body has returned.
bool cfibers_thread_resume(cfibers_thread *thread);

/// Returns from the `cfibers_thread_resume` that runs the calling thread. There must be one.
void cfibers_thread_pause(void);

/// Whether the calling thread was created by `cfibers_thread_create`.
bool cfibers_is_in_thread(void);

/// The effects of calls of the Swift runtime that are reported.
enum {
  CFIBERS_CREATES_TASK = 0,
  CFIBERS_CANCELS = 1,
  CFIBERS_READS_CANCELLATION = 2,
  CFIBERS_WAKES = 3,
  /// A system call for random bytes.
  CFIBERS_DRAWS = 4,
  /// A new thread.
  CFIBERS_STARTS_THREAD = 5,
  /// A task that runs inside its creator until it first suspends.
  CFIBERS_STARTS_IMMEDIATELY = 6,
  /// A task, or part of one, goes to an executor that the engine does not control.
  CFIBERS_USES_OTHER_EXECUTOR = 7,
  /// A discarding group's `isEmpty`.
  CFIBERS_READS_CHILDREN = 8,
  /// `withTaskCancellationHandler`.
  CFIBERS_ADDS_HANDLER = 9,
};

/// Called on a thread that has a task executor before and after it calls a function of the runtime
/// whose effect other tasks can observe. Random bytes and threads are reported on every thread. Random
/// bytes, another executor and a handler are reported only once. The creation of a task is reported before the call
/// only if the task is enqueued and no child.
///
/// \param effect What the function does.
/// \param is_over Whether it has returned, or, for a thread, whether the thread is none of Dispatch's.
/// \returns Before the creation of a task: whether it gets the executor of `cfibers_set_task_executor`.
/// Before that of a thread: whether the second report is wanted.
typedef bool (*cfibers_call_handler)(int effect, bool is_over);

/// Sets what is called, on every thread, or NULL. See `RuntimeCalls.h` for the functions.
void cfibers_set_call_handler(cfibers_call_handler _Nullable handler);

/// Sets the preferred executor of tasks that the calling thread creates and that have none, or prefer the
/// global executor of `cfibers_set_known_executors`.
///
/// \param object An object that conforms to `TaskExecutor`, or NULL. It is not retained.
/// \param witnesses The witness table of the conformance.
void cfibers_set_task_executor(void *_Nullable object, const void *_Nullable witnesses);

/// Tells the identities of two executors, for all threads.
///
/// \param global What `globalConcurrentExecutor` returns.
/// \param main The main actor's executor.
void cfibers_set_known_executors(const void *_Nullable global, const void *_Nullable main);

/// Called on a thread that has a task executor before a task goes to a serial executor, such as an actor.
///
/// \param executor The executor's identity.
/// \param function What the task continues with.
/// \returns Whether the task first leaves the executor that it is on, as a job of its own.
typedef bool (*cfibers_switch_handler)(uintptr_t executor, uintptr_t function);

/// Sets what is called, on every thread, before a task goes to a serial executor, or NULL.
void cfibers_set_switch_handler(cfibers_switch_handler _Nullable handler);

/// Whether a task of the runtime is cancelled.
bool cfibers_is_cancelled(void *task);

/// The function with which a task resumes that has left its executor on the way to another one.
uintptr_t cfibers_detour_function(void);

/// The number of stacks that the calling thread has mapped: in use and free.
size_t cfibers_stack_count(void);

/// The size of a stack in bytes, without its guard page.
size_t cfibers_stack_size(void);

#pragma clang assume_nonnull end

#endif
