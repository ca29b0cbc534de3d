#ifndef C_EXPLORED_POINTS_H
#define C_EXPLORED_POINTS_H

#include <stdbool.h>

#include "ExploredAtomics.h"

#pragma clang assume_nonnull begin

/// The kinds of access to an object of `ExploredSynchronization`.
enum {
  EXPLORED_LOCK = 0,
  EXPLORED_TRY_LOCK = 1,
  EXPLORED_ATOMIC = 2,
};

/// What an exploration does at accesses to locks and atomics.
struct explored_hooks {
  /// Called on the accessing thread before an access.
  void (*will_access)(const void *object, int kind);
  /// Called when a lock has been acquired, before the code that it protects.
  void (*did_acquire)(const void *object);
  /// Called when a lock is held by another task. Returns whether to try again.
  bool (*wait)(const void *object);
  /// Called after an access, with the lock released.
  void (*did_access)(const void *object, int kind);
};

extern const struct explored_hooks *_Nullable explored_hooks;

/// The hooks, or NULL in a process that explores nothing.
static inline const struct explored_hooks *_Nullable explored_current_hooks(void) {
  return __atomic_load_n(&explored_hooks, __ATOMIC_RELAXED);
}

/// Sets the hooks of the process. They must stay valid.
void explored_set_hooks(const struct explored_hooks *hooks);

#pragma clang assume_nonnull end

#endif
