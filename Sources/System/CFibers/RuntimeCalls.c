#define _GNU_SOURCE
#include "RuntimeCalls.h"
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

/// What new tasks of the calling thread get as their preferred executor: an object that conforms to
/// `TaskExecutor`, and its witness table.
static _Thread_local struct {
  void *object;
  const void *witnesses;
} executor;

/// An option of `swift_task_create`. Source: `TaskOptionRecord` in swift/ABI/TaskOptions.h.
struct option {
  size_t kind;
  struct option *next;
  void *object;
  const void *witnesses;
};

enum {
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

void cfibers_set_task_executor(void *object, const void *witnesses) {
  executor.object = object;
  executor.witnesses = witnesses;
}

static bool report(int effect, bool is_over) {
  cfibers_call_handler handler = atomic_load_explicit(&current_handler, memory_order_relaxed);
  return handler != NULL && handler(effect, is_over);
}

void cfibers_note(int effect) { report(effect, true); }

/// Whether a new task may get an executor: the runtime enqueues it, and it is no child, which
/// inherits its parent's.
static bool has_no_executor(const uintptr_t *arguments) {
  if ((arguments[0] & ENQUEUES) == 0) return false;
  for (struct option *option = (void *)arguments[1]; option != NULL; option = option->next) {
    size_t kind = option->kind & 0xff;
    if (kind == OPTION_GROUP || kind == OPTION_ASYNC_LET || kind == OPTION_EXECUTOR
        || kind == OPTION_EXECUTOR_UNOWNED)
      return false;
  }
  return true;
}

/// Returns the function to call, whose arguments it may change.
__attribute__((visibility("hidden"))) void *cfibers_before_call(int number, uintptr_t *arguments) {
  void *function = atomic_load_explicit(&originals[number], memory_order_relaxed);
  if (function == NULL) {
    function = dlsym(RTLD_NEXT, names[number]);
    if (function == NULL) abort();
    atomic_store_explicit(&originals[number], function, memory_order_relaxed);
  }
  if (effects[number] != CFIBERS_CREATES_TASK) {
    if (executor.object != NULL) report(effects[number], false);
  } else if (executor.object != NULL && has_no_executor(arguments)) {
    // swift_task_create(flags, options, …)
    if (!report(CFIBERS_CREATES_TASK, false)) return function;
    // The task owns a reference to its executor.
    preference = (struct option){
        OPTION_EXECUTOR, (struct option *)arguments[1], swift_retain(executor.object),
        executor.witnesses};
    arguments[1] = (uintptr_t)&preference;
  }
  return function;
}

__attribute__((visibility("hidden"))) void cfibers_after_call(int number) {
  if (executor.object != NULL) report(effects[number], true);
}

// MARK: - Switches between actors

/// The last three arguments of `swift_task_switch`.
struct switch_arguments {
  uintptr_t function;
  uintptr_t identity;
  uintptr_t implementation;
};

/// The switches that tasks make after a detour. A task has at most one.
static _Thread_local struct {
  struct detour {
    uintptr_t task;
    struct switch_arguments arguments;
  } *list;
  size_t count;
  size_t capacity;
} detours;

static _Atomic(cfibers_switch_handler) switch_handler;

void cfibers_set_switch_handler(cfibers_switch_handler handler) {
  atomic_store(&switch_handler, handler);
}

__attribute__((visibility("hidden"))) void cfibers_detour(void);

uintptr_t cfibers_detour_function(void) { return (uintptr_t)cfibers_detour; }

static void *original_switch(void) {
  static _Atomic(void *) cache;
  void *function = atomic_load_explicit(&cache, memory_order_relaxed);
  if (function == NULL) {
    function = dlsym(RTLD_NEXT, "swift_task_switch");
    if (function == NULL) abort();
    atomic_store_explicit(&cache, function, memory_order_relaxed);
  }
  return function;
}

bool cfibers_is_cancelled(void *task) {
  static _Atomic(void *) cache;
  void *function = atomic_load_explicit(&cache, memory_order_relaxed);
  if (function == NULL) {
    function = dlsym(RTLD_NEXT, "swift_task_isCancelled");
    if (function == NULL) return false;
    atomic_store_explicit(&cache, function, memory_order_relaxed);
  }
  __attribute__((swiftcall)) bool (*is_cancelled)(void *) = function;
  return is_cancelled(task);
}

static struct detour *find_detour(uintptr_t task) {
  for (size_t i = 0; i < detours.count; i++)
    if (detours.list[i].task == task) return &detours.list[i];
  return NULL;
}

/// Returns the function to continue with, whose arguments it may change.
__attribute__((visibility("hidden"))) void *cfibers_before_switch(struct switch_arguments *a) {
  cfibers_switch_handler handler = atomic_load_explicit(&switch_handler, memory_order_relaxed);
  if (handler == NULL || a->identity == 0 || executor.object == NULL
      || !handler(a->identity, a->function))
    return original_switch();
  uintptr_t task = cfibers_current_task();
  struct detour *detour = find_detour(task);
  if (detour == NULL && detours.count == detours.capacity) {
    size_t capacity = detours.capacity == 0 ? 16 : 2 * detours.capacity;
    void *list = realloc(detours.list, capacity * sizeof *detours.list);
    if (list == NULL) return original_switch();
    detours.list = list;
    detours.capacity = capacity;
  }
  if (detour == NULL) detour = &detours.list[detours.count++];
  *detour = (struct detour){task, *a};
  *a = (struct switch_arguments){(uintptr_t)cfibers_detour, 0, 0};
  return original_switch();
}

__attribute__((visibility("hidden"))) void *cfibers_after_detour(struct switch_arguments *a) {
  struct detour *detour = find_detour(cfibers_current_task());
  if (detour == NULL) abort();
  *a = detour->arguments;
  *detour = detours.list[--detours.count];
  return original_switch();
}

#else

void cfibers_set_switch_handler(cfibers_switch_handler handler) {}

uintptr_t cfibers_detour_function(void) { return 0; }

bool cfibers_is_cancelled(void *task) { return false; }

void cfibers_set_task_executor(void *object, const void *witnesses) {}

#endif
