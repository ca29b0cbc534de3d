#define _GNU_SOURCE
#include "CDispatchWatch.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

typedef void (*watcher_t)(void);

static _Atomic(watcher_t) current;

void watch_dispatch(watcher_t watcher) { atomic_store(&current, watcher); }

#if defined(__ELF__)
#include <dlfcn.h>

// The dynamic linker takes these, in the executable, for those of libdispatch, and they pass every
// call on. Being weak, they give way where libdispatch is linked into the executable itself.

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

#define PASS_ON(name, types, names) \
  __attribute__((weak)) void name types { \
    static _Atomic(void *) cache; \
    ((void (*) types)original(#name, &cache)) names; \
  }

PASS_ON(dispatch_async, (void *queue, void *block), (queue, block))
PASS_ON(dispatch_barrier_async, (void *queue, void *block), (queue, block))
PASS_ON(dispatch_after, (uint64_t time, void *queue, void *block), (time, queue, block))
PASS_ON(dispatch_group_async, (void *group, void *queue, void *block), (group, queue, block))
PASS_ON(dispatch_group_notify, (void *group, void *queue, void *block), (group, queue, block))

#endif
