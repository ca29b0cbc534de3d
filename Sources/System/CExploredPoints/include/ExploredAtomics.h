#ifndef EXPLORED_ATOMICS_H
#define EXPLORED_ATOMICS_H

#include <stdbool.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// The accesses of `ExploredAtomic` to an atomic value of 1, 2, 4 or 8 bytes.
//
// `Synchronization` has each function once for each type, and only with a constant ordering, so
// that a generic function cannot call it. The compiler's builtins take any ordering, and fold a
// constant one where the call is inlined.

/// The orderings that the builtins take.
enum {
  EXPLORED_RELAXED = __ATOMIC_RELAXED,
  EXPLORED_ACQUIRING = __ATOMIC_ACQUIRE,
  EXPLORED_RELEASING = __ATOMIC_RELEASE,
  EXPLORED_ACQUIRING_AND_RELEASING = __ATOMIC_ACQ_REL,
  EXPLORED_SEQUENTIALLY_CONSISTENT = __ATOMIC_SEQ_CST,
};

#define EXPLORED_BY_SIZE(object, size, access) \
  switch (size) { \
  case 1: access(uint8_t, object); \
  case 2: access(uint16_t, object); \
  case 4: access(uint32_t, object); \
  default: access(uint64_t, object); \
  }

/// Reads the value.
static inline uint64_t explored_load(const void *object, long size, int ordering) {
#define EXPLORED_LOAD(type, object) return __atomic_load_n((const type *)object, ordering)
  EXPLORED_BY_SIZE(object, size, EXPLORED_LOAD)
#undef EXPLORED_LOAD
}

/// Replaces the value.
static inline void explored_store(void *object, long size, uint64_t desired, int ordering) {
#define EXPLORED_STORE(type, object) \
  __atomic_store_n((type *)object, (type)desired, ordering); \
  return
  EXPLORED_BY_SIZE(object, size, EXPLORED_STORE)
#undef EXPLORED_STORE
}

/// Defines a function that combines the value with an operand and returns the value before.
#define EXPLORED_UPDATE(name, builtin) \
  static inline uint64_t name(void *object, long size, uint64_t operand, int ordering) { \
    EXPLORED_BY_SIZE(object, size, builtin) \
  }
#define EXPLORED_EXCHANGE(type, object) \
  return __atomic_exchange_n((type *)object, (type)operand, ordering)
#define EXPLORED_ADD(type, object) \
  return __atomic_fetch_add((type *)object, (type)operand, ordering)
#define EXPLORED_AND(type, object) \
  return __atomic_fetch_and((type *)object, (type)operand, ordering)
#define EXPLORED_OR(type, object) \
  return __atomic_fetch_or((type *)object, (type)operand, ordering)
#define EXPLORED_XOR(type, object) \
  return __atomic_fetch_xor((type *)object, (type)operand, ordering)
EXPLORED_UPDATE(explored_exchange, EXPLORED_EXCHANGE)
EXPLORED_UPDATE(explored_add, EXPLORED_ADD)
EXPLORED_UPDATE(explored_and, EXPLORED_AND)
EXPLORED_UPDATE(explored_or, EXPLORED_OR)
EXPLORED_UPDATE(explored_xor, EXPLORED_XOR)

/// Replaces the value if it equals `expected`, which receives the value before.
static inline bool explored_compare_exchange(
    void *object, long size, uint64_t *expected, uint64_t desired, bool is_weak, int success,
    int failure) {
#define EXPLORED_COMPARE(type, object) \
  { \
    type old = (type)*expected; \
    bool is_equal = is_weak \
      ? __atomic_compare_exchange_n((type *)object, &old, (type)desired, true, success, failure) \
      : __atomic_compare_exchange_n((type *)object, &old, (type)desired, false, success, failure); \
    *expected = old; \
    return is_equal; \
  }
  EXPLORED_BY_SIZE(object, size, EXPLORED_COMPARE)
#undef EXPLORED_COMPARE
}

#undef EXPLORED_UPDATE
#undef EXPLORED_EXCHANGE
#undef EXPLORED_ADD
#undef EXPLORED_AND
#undef EXPLORED_OR
#undef EXPLORED_XOR
#undef EXPLORED_BY_SIZE

#pragma clang assume_nonnull end

#endif
