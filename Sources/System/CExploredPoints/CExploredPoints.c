#include "CExploredPoints.h"

#include <stddef.h>

const struct explored_hooks *explored_hooks = NULL;

void explored_set_hooks(const struct explored_hooks *hooks) {
  __atomic_store_n(&explored_hooks, hooks, __ATOMIC_RELEASE);
}
