#define _GNU_SOURCE
#include "RuntimeCalls.h"
#include "BlockingCalls.h"
#include "CFibers.h"

#include <stdatomic.h>

static _Atomic(cfibers_call_handler) current_handler;

void cfibers_set_call_handler(cfibers_call_handler handler) {
  atomic_store(&current_handler, handler);
}

#if CFIBERS_IS_SUPPORTED

#include <dlfcn.h>
#include <stdlib.h>

#define NAME(symbol, effect) #symbol,
static const char *const names[] = {CFIBERS_RUNTIME_CALLS(NAME)};

#define EFFECT(symbol, effect) effect,
static const int effects[] = {CFIBERS_RUNTIME_CALLS(EFFECT)};

enum { CALLS = sizeof names / sizeof *names };

static _Atomic(void *) originals[CALLS];

/// A task executor or a serial executor. The second word of a default actor is NULL.
struct executor_reference {
  void *object;
  const void *witnesses;
};

/// What new tasks of the calling thread get as their preferred executor: an object that conforms to
/// `TaskExecutor`, and its witness table.
static _Thread_local struct executor_reference executor;

/// An option of `swift_task_create`. Source: `TaskOptionRecord` in swift/ABI/TaskOptions.h.
struct option {
  size_t kind;
  struct option *next;
  struct executor_reference executor;
};

enum {
  OPTION_SERIAL_EXECUTOR = 0,
  OPTION_GROUP = 1,
  OPTION_ASYNC_LET = 3,
  OPTION_EXECUTOR_UNOWNED = 5,
  OPTION_EXECUTOR = 6,
  // A bit of the first argument of swift_task_create: the function enqueues the task.
  ENQUEUES = 1 << 12,
};

/// The option that names the executor. The runtime reads it before it enqueues the task.
static _Thread_local struct option preference;

extern void *swift_retain(void *object);
extern void swift_release(void *object);

static _Atomic(const void *) global_executor;
static _Atomic(const void *) main_executor;

void cfibers_set_known_executors(const void *global, const void *main) {
  atomic_store(&global_executor, global);
  atomic_store(&main_executor, main);
}

bool cfibers_is_exploring(void) { return executor.object != NULL; }

void cfibers_set_task_executor(void *object, const void *witnesses) {
  executor.object = object;
  executor.witnesses = witnesses;
}

bool cfibers_report(int effect, bool is_over) {
  cfibers_call_handler handler = atomic_load_explicit(&current_handler, memory_order_relaxed);
  return handler != NULL && handler(effect, is_over);
}

/// What `globalConcurrentExecutor` runs can be scheduled like what has no preference.
static bool is_global(struct executor_reference reference) {
  return reference.object != NULL
      && reference.object == atomic_load_explicit(&global_executor, memory_order_relaxed);
}

/// Whether a preferred executor is one that the engine does not control.
static bool is_foreign(struct executor_reference reference) {
  return reference.object != NULL && reference.object != executor.object && !is_global(reference);
}

/// Whether a serial executor is neither a default actor nor the main executor.
static bool is_custom(struct executor_reference reference) {
  return reference.object != NULL && reference.witnesses != NULL
      && reference.object != atomic_load_explicit(&main_executor, memory_order_relaxed);
}

/// Gives a new task the executor of the calling thread, unless it prefers another one or inherits
/// that of its parent.
static void before_creation(uintptr_t *arguments) {
  // swift_task_create(flags, options, …)
  bool is_child = false;
  bool is_foreign_task = false;
  struct option *preferred = NULL;
  for (struct option *option = (void *)arguments[1]; option != NULL; option = option->next) {
    switch (option->kind & 0xff) {
      case OPTION_SERIAL_EXECUTOR: is_foreign_task |= is_custom(option->executor); break;
      case OPTION_GROUP:
      case OPTION_ASYNC_LET: is_child = true; break;
      case OPTION_EXECUTOR:
      case OPTION_EXECUTOR_UNOWNED: preferred = option; break;
    }
  }
  if (preferred != NULL) is_foreign_task |= is_foreign(preferred->executor);
  if (is_foreign_task) cfibers_report(CFIBERS_USES_OTHER_EXECUTOR, true);
  // An option without an executor is what the parameter `executorPreference: nil` leads to.
  if (preferred != NULL && preferred->executor.object != NULL && !is_global(preferred->executor))
    return;
  // `Task.immediate` runs in its creator's job.
  if ((arguments[0] & ENQUEUES) == 0) return;
  if (is_child) {
    if (preferred == NULL || preferred->executor.object == NULL) return;
  } else if (!cfibers_report(CFIBERS_CREATES_TASK, false)) {
    return;
  }
  // The task owns a reference to its executor.
  struct executor_reference own = {swift_retain(executor.object), executor.witnesses};
  if (preferred == NULL) {
    preference = (struct option){OPTION_EXECUTOR, (struct option *)arguments[1], own};
    arguments[1] = (uintptr_t)&preference;
  } else {
    // The runtime heeds the last such option, so this one has to change. It is the caller's variable
    // for this call.
    if ((preferred->kind & 0xff) == OPTION_EXECUTOR) swift_release(preferred->executor.object);
    preferred->kind = (preferred->kind & ~(size_t)0xff) | OPTION_EXECUTOR;
    preferred->executor = own;
  }
}

/// Looks up a function of the runtime, behind the one of that name here, and remembers it.
///
/// Returns NULL if the runtime has none.
static inline void *find_original(_Atomic(void *) *cache, const char *name) {
  void *function = atomic_load_explicit(cache, memory_order_relaxed);
  if (function == NULL) {
    function = dlsym(RTLD_NEXT, name);
    atomic_store_explicit(cache, function, memory_order_relaxed);
  }
  return function;
}

static inline void *original(_Atomic(void *) *cache, const char *name) {
  void *function = find_original(cache, name);
  if (function == NULL) abort();
  return function;
}

/// Returns the function to call, whose arguments it may change.
__attribute__((visibility("hidden"))) void *cfibers_before_call(int number, uintptr_t *arguments) {
  void *function = original(&originals[number], names[number]);
  if (executor.object == NULL) return function;
  if (effects[number] == CFIBERS_CREATES_TASK) {
    before_creation(arguments);
  } else {
    cfibers_report(effects[number], false);
  }
  return function;
}

__attribute__((visibility("hidden"))) void cfibers_after_call(int number) {
  if (executor.object != NULL) cfibers_report(effects[number], true);
}

// MARK: - withTaskExecutorPreference

#define PREFERENCE_NAME(symbol) #symbol,
static const char *const preference_names[] = {CFIBERS_PREFERENCE_CALLS(PREFERENCE_NAME)};

enum { PREFERENCE_CALLS = sizeof preference_names / sizeof *preference_names };

/// Returns the function to continue with, whose preferred executor it may change.
__attribute__((visibility("hidden"))) void *cfibers_before_preference(
    uintptr_t *arguments, int number) {
  static _Atomic(void *) originals[PREFERENCE_CALLS];
  struct executor_reference *preferred = (void *)&arguments[1];
  void *function = original(&originals[number], preference_names[number]);
  if (executor.object == NULL) return function;
  if (is_foreign(*preferred)) cfibers_report(CFIBERS_USES_OTHER_EXECUTOR, true);
  if (is_global(*preferred)) *preferred = executor;
  return function;
}

// MARK: - withTaskCancellationHandler

static const char *const handler_names[] = {CFIBERS_HANDLER_CALLS(PREFERENCE_NAME)};

enum { HANDLER_CALLS = sizeof handler_names / sizeof *handler_names };

/// Returns the function to continue with.
__attribute__((visibility("hidden"))) void *cfibers_before_handler(
    uintptr_t *arguments, int number) {
  static _Atomic(void *) originals[HANDLER_CALLS];
  if (executor.object != NULL) cfibers_report(CFIBERS_ADDS_HANDLER, false);
  return original(&originals[number], handler_names[number]);
}

// MARK: - Switches between actors

/// The last three arguments of `swift_task_switch`.
struct switch_arguments {
  uintptr_t function;
  uintptr_t identity;
  uintptr_t implementation;
};

/// The switches that tasks make after a detour, on whatever thread. A task has at most one.
static struct {
  struct detour {
    uintptr_t task;
    struct switch_arguments arguments;
  } *list;
  size_t count;
  size_t capacity;
} detours;

static atomic_flag detours_lock = ATOMIC_FLAG_INIT;

static void lock_detours(void) {
  while (atomic_flag_test_and_set_explicit(&detours_lock, memory_order_acquire)) {}
}

static void unlock_detours(void) {
  atomic_flag_clear_explicit(&detours_lock, memory_order_release);
}

static _Atomic(cfibers_switch_handler) switch_handler;

void cfibers_set_switch_handler(cfibers_switch_handler handler) {
  atomic_store(&switch_handler, handler);
}

__attribute__((visibility("hidden"))) void cfibers_detour(void);

uintptr_t cfibers_detour_function(void) { return (uintptr_t)cfibers_detour; }

static void *original_switch(void) {
  static _Atomic(void *) cache;
  return original(&cache, "swift_task_switch");
}

bool cfibers_is_cancelled(void *task) {
  static _Atomic(void *) cache;
  __attribute__((swiftcall)) bool (*is_cancelled)(void *) =
      find_original(&cache, "swift_task_isCancelled");
  return is_cancelled != NULL && is_cancelled(task);
}

static struct detour *find_detour(uintptr_t task) {
  for (size_t i = 0; i < detours.count; i++)
    if (detours.list[i].task == task) return &detours.list[i];
  return NULL;
}

/// Returns whether there was memory for it.
static bool add_detour(struct detour new) {
  lock_detours();
  struct detour *detour = find_detour(new.task);
  if (detour == NULL && detours.count == detours.capacity) {
    size_t capacity = detours.capacity == 0 ? 16 : 2 * detours.capacity;
    void *list = realloc(detours.list, capacity * sizeof *detours.list);
    if (list != NULL) {
      detours.list = list;
      detours.capacity = capacity;
    }
  }
  if (detour == NULL && detours.count < detours.capacity) detour = &detours.list[detours.count++];
  if (detour != NULL) *detour = new;
  unlock_detours();
  return detour != NULL;
}

static __attribute__((noinline)) void *before_arrival(struct switch_arguments *a) {
  if (is_custom((struct executor_reference){(void *)a->identity, (void *)a->implementation}))
    cfibers_report(CFIBERS_USES_OTHER_EXECUTOR, true);
  cfibers_switch_handler handler = atomic_load_explicit(&switch_handler, memory_order_relaxed);
  if (handler == NULL || !handler(a->identity, a->function)) return original_switch();
  if (!add_detour((struct detour){cfibers_current_task(), *a})) return original_switch();
  *a = (struct switch_arguments){(uintptr_t)cfibers_detour, 0, 0};
  return original_switch();
}

/// Returns the function to continue with, whose arguments it may change.
__attribute__((visibility("hidden"))) void *cfibers_before_switch(struct switch_arguments *a) {
  // Most switches go to no actor.
  return a->identity == 0 || executor.object == NULL ? original_switch() : before_arrival(a);
}

__attribute__((visibility("hidden"))) void *cfibers_after_detour(struct switch_arguments *a) {
  lock_detours();
  struct detour *detour = find_detour(cfibers_current_task());
  if (detour == NULL) abort();
  *a = detour->arguments;
  *detour = detours.list[--detours.count];
  unlock_detours();
  return original_switch();
}

#else

void cfibers_set_switch_handler(cfibers_switch_handler handler) {}

uintptr_t cfibers_detour_function(void) { return 0; }

bool cfibers_is_cancelled(void *task) { return false; }

void cfibers_set_task_executor(void *object, const void *witnesses) {}

void cfibers_set_known_executors(const void *global, const void *main) {}

#endif
