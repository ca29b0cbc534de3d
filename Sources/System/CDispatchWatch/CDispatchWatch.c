#define _GNU_SOURCE
#include "CDispatchWatch.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

typedef void (*watcher_t)(void);

static _Atomic(watcher_t) current;

void watch_dispatch(watcher_t watcher) { atomic_store(&current, watcher); }

#if defined(__ELF__) && !defined(PLATFORM_PORTABLE)
#include <dlfcn.h>

// These definitions interpose the functions of libdispatch: the dynamic linker searches the executable
// before the libraries. Each notifies the watcher and then calls the original, the next definition in the
// search order (dlsym(3), RTLD_NEXT). They are weak, so that a statically linked libdispatch wins over them
// instead of clashing with them.

// Notifies the watcher and returns libdispatch's own function.
static void *original(const char *name, _Atomic(void *) *cache) {
  watcher_t watcher = atomic_load_explicit(&current, memory_order_relaxed);
  if (watcher != NULL) watcher();
  void *function = atomic_load_explicit(cache, memory_order_relaxed);
  if (function == NULL) {
    function = dlsym(RTLD_NEXT, name);
    atomic_store_explicit(cache, function, memory_order_relaxed);
  }
  return function;
}

#define INTERPOSE(name, types, names) \
  __attribute__((weak)) void name types { \
    static _Atomic(void *) cache; \
    ((void (*) types)original(#name, &cache)) names; \
  }

INTERPOSE(dispatch_async, (void *queue, void *block), (queue, block))
INTERPOSE(dispatch_barrier_async, (void *queue, void *block), (queue, block))
INTERPOSE(dispatch_after, (uint64_t time, void *queue, void *block), (time, queue, block))
INTERPOSE(dispatch_group_async, (void *group, void *queue, void *block), (group, queue, block))
INTERPOSE(dispatch_group_notify, (void *group, void *queue, void *block), (group, queue, block))

#endif
