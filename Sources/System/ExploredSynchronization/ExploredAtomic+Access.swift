public import CExploredPoints
public import Synchronization

// `Atomic` has its functions once for each size of representation, and requires that orderings
// are constants where they are passed. So there is one extension for each size here too, and
// every function is transparent. See `Atomic` for what they do.

extension ExploredAtomic where Value.AtomicRepresentation == _Atomic8BitStorage {
  /// Reads the value.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  public borrowing func load(ordering: AtomicLoadOrdering) -> Value {
    let hooks = willAccess()
    let value = atomic.load(ordering: ordering)
    didAccess(hooks)
    return value
  }

  /// Replaces the value.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  public borrowing func store(_ desired: consuming Value, ordering: AtomicStoreOrdering) {
    let hooks = willAccess()
    atomic.store(desired, ordering: ordering)
    didAccess(hooks)
  }

  /// Replaces the value and returns the one before.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  public borrowing func exchange(
    _ desired: consuming Value, ordering: AtomicUpdateOrdering
  ) -> Value {
    let hooks = willAccess()
    let value = atomic.exchange(desired, ordering: ordering)
    didAccess(hooks)
    return value
  }

  /// Replaces the value if it equals another one.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  public borrowing func compareExchange(
    expected: consuming Value, desired: consuming Value, ordering: AtomicUpdateOrdering
  ) -> (exchanged: Bool, original: Value) {
    let hooks = willAccess()
    let result = atomic.compareExchange(expected: expected, desired: desired, ordering: ordering)
    didAccess(hooks)
    return result
  }

  /// Replaces the value if it equals another one.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  public borrowing func compareExchange(
    expected: consuming Value, desired: consuming Value,
    successOrdering: AtomicUpdateOrdering, failureOrdering: AtomicLoadOrdering
  ) -> (exchanged: Bool, original: Value) {
    let hooks = willAccess()
    let result = atomic.compareExchange(
      expected: expected, desired: desired, successOrdering: successOrdering,
      failureOrdering: failureOrdering)
    didAccess(hooks)
    return result
  }

  /// Replaces the value if it equals another one; may fail although it does.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  public borrowing func weakCompareExchange(
    expected: consuming Value, desired: consuming Value, ordering: AtomicUpdateOrdering
  ) -> (exchanged: Bool, original: Value) {
    let hooks = willAccess()
    let result = atomic.weakCompareExchange(
      expected: expected, desired: desired, ordering: ordering)
    didAccess(hooks)
    return result
  }

  /// Replaces the value if it equals another one; may fail although it does.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  public borrowing func weakCompareExchange(
    expected: consuming Value, desired: consuming Value,
    successOrdering: AtomicUpdateOrdering, failureOrdering: AtomicLoadOrdering
  ) -> (exchanged: Bool, original: Value) {
    let hooks = willAccess()
    let result = atomic.weakCompareExchange(
      expected: expected, desired: desired, successOrdering: successOrdering,
      failureOrdering: failureOrdering)
    didAccess(hooks)
    return result
  }
}

extension ExploredAtomic where Value.AtomicRepresentation == _Atomic16BitStorage {
  /// Reads the value.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  public borrowing func load(ordering: AtomicLoadOrdering) -> Value {
    let hooks = willAccess()
    let value = atomic.load(ordering: ordering)
    didAccess(hooks)
    return value
  }

  /// Replaces the value.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  public borrowing func store(_ desired: consuming Value, ordering: AtomicStoreOrdering) {
    let hooks = willAccess()
    atomic.store(desired, ordering: ordering)
    didAccess(hooks)
  }

  /// Replaces the value and returns the one before.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  public borrowing func exchange(
    _ desired: consuming Value, ordering: AtomicUpdateOrdering
  ) -> Value {
    let hooks = willAccess()
    let value = atomic.exchange(desired, ordering: ordering)
    didAccess(hooks)
    return value
  }

  /// Replaces the value if it equals another one.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  public borrowing func compareExchange(
    expected: consuming Value, desired: consuming Value, ordering: AtomicUpdateOrdering
  ) -> (exchanged: Bool, original: Value) {
    let hooks = willAccess()
    let result = atomic.compareExchange(expected: expected, desired: desired, ordering: ordering)
    didAccess(hooks)
    return result
  }

  /// Replaces the value if it equals another one.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  public borrowing func compareExchange(
    expected: consuming Value, desired: consuming Value,
    successOrdering: AtomicUpdateOrdering, failureOrdering: AtomicLoadOrdering
  ) -> (exchanged: Bool, original: Value) {
    let hooks = willAccess()
    let result = atomic.compareExchange(
      expected: expected, desired: desired, successOrdering: successOrdering,
      failureOrdering: failureOrdering)
    didAccess(hooks)
    return result
  }

  /// Replaces the value if it equals another one; may fail although it does.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  public borrowing func weakCompareExchange(
    expected: consuming Value, desired: consuming Value, ordering: AtomicUpdateOrdering
  ) -> (exchanged: Bool, original: Value) {
    let hooks = willAccess()
    let result = atomic.weakCompareExchange(
      expected: expected, desired: desired, ordering: ordering)
    didAccess(hooks)
    return result
  }

  /// Replaces the value if it equals another one; may fail although it does.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  public borrowing func weakCompareExchange(
    expected: consuming Value, desired: consuming Value,
    successOrdering: AtomicUpdateOrdering, failureOrdering: AtomicLoadOrdering
  ) -> (exchanged: Bool, original: Value) {
    let hooks = willAccess()
    let result = atomic.weakCompareExchange(
      expected: expected, desired: desired, successOrdering: successOrdering,
      failureOrdering: failureOrdering)
    didAccess(hooks)
    return result
  }
}

extension ExploredAtomic where Value.AtomicRepresentation == _Atomic32BitStorage {
  /// Reads the value.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  public borrowing func load(ordering: AtomicLoadOrdering) -> Value {
    let hooks = willAccess()
    let value = atomic.load(ordering: ordering)
    didAccess(hooks)
    return value
  }

  /// Replaces the value.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  public borrowing func store(_ desired: consuming Value, ordering: AtomicStoreOrdering) {
    let hooks = willAccess()
    atomic.store(desired, ordering: ordering)
    didAccess(hooks)
  }

  /// Replaces the value and returns the one before.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  public borrowing func exchange(
    _ desired: consuming Value, ordering: AtomicUpdateOrdering
  ) -> Value {
    let hooks = willAccess()
    let value = atomic.exchange(desired, ordering: ordering)
    didAccess(hooks)
    return value
  }

  /// Replaces the value if it equals another one.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  public borrowing func compareExchange(
    expected: consuming Value, desired: consuming Value, ordering: AtomicUpdateOrdering
  ) -> (exchanged: Bool, original: Value) {
    let hooks = willAccess()
    let result = atomic.compareExchange(expected: expected, desired: desired, ordering: ordering)
    didAccess(hooks)
    return result
  }

  /// Replaces the value if it equals another one.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  public borrowing func compareExchange(
    expected: consuming Value, desired: consuming Value,
    successOrdering: AtomicUpdateOrdering, failureOrdering: AtomicLoadOrdering
  ) -> (exchanged: Bool, original: Value) {
    let hooks = willAccess()
    let result = atomic.compareExchange(
      expected: expected, desired: desired, successOrdering: successOrdering,
      failureOrdering: failureOrdering)
    didAccess(hooks)
    return result
  }

  /// Replaces the value if it equals another one; may fail although it does.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  public borrowing func weakCompareExchange(
    expected: consuming Value, desired: consuming Value, ordering: AtomicUpdateOrdering
  ) -> (exchanged: Bool, original: Value) {
    let hooks = willAccess()
    let result = atomic.weakCompareExchange(
      expected: expected, desired: desired, ordering: ordering)
    didAccess(hooks)
    return result
  }

  /// Replaces the value if it equals another one; may fail although it does.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  public borrowing func weakCompareExchange(
    expected: consuming Value, desired: consuming Value,
    successOrdering: AtomicUpdateOrdering, failureOrdering: AtomicLoadOrdering
  ) -> (exchanged: Bool, original: Value) {
    let hooks = willAccess()
    let result = atomic.weakCompareExchange(
      expected: expected, desired: desired, successOrdering: successOrdering,
      failureOrdering: failureOrdering)
    didAccess(hooks)
    return result
  }
}

extension ExploredAtomic where Value.AtomicRepresentation == _Atomic64BitStorage {
  /// Reads the value.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  public borrowing func load(ordering: AtomicLoadOrdering) -> Value {
    let hooks = willAccess()
    let value = atomic.load(ordering: ordering)
    didAccess(hooks)
    return value
  }

  /// Replaces the value.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  public borrowing func store(_ desired: consuming Value, ordering: AtomicStoreOrdering) {
    let hooks = willAccess()
    atomic.store(desired, ordering: ordering)
    didAccess(hooks)
  }

  /// Replaces the value and returns the one before.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  public borrowing func exchange(
    _ desired: consuming Value, ordering: AtomicUpdateOrdering
  ) -> Value {
    let hooks = willAccess()
    let value = atomic.exchange(desired, ordering: ordering)
    didAccess(hooks)
    return value
  }

  /// Replaces the value if it equals another one.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  public borrowing func compareExchange(
    expected: consuming Value, desired: consuming Value, ordering: AtomicUpdateOrdering
  ) -> (exchanged: Bool, original: Value) {
    let hooks = willAccess()
    let result = atomic.compareExchange(expected: expected, desired: desired, ordering: ordering)
    didAccess(hooks)
    return result
  }

  /// Replaces the value if it equals another one.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  public borrowing func compareExchange(
    expected: consuming Value, desired: consuming Value,
    successOrdering: AtomicUpdateOrdering, failureOrdering: AtomicLoadOrdering
  ) -> (exchanged: Bool, original: Value) {
    let hooks = willAccess()
    let result = atomic.compareExchange(
      expected: expected, desired: desired, successOrdering: successOrdering,
      failureOrdering: failureOrdering)
    didAccess(hooks)
    return result
  }

  /// Replaces the value if it equals another one; may fail although it does.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  public borrowing func weakCompareExchange(
    expected: consuming Value, desired: consuming Value, ordering: AtomicUpdateOrdering
  ) -> (exchanged: Bool, original: Value) {
    let hooks = willAccess()
    let result = atomic.weakCompareExchange(
      expected: expected, desired: desired, ordering: ordering)
    didAccess(hooks)
    return result
  }

  /// Replaces the value if it equals another one; may fail although it does.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  public borrowing func weakCompareExchange(
    expected: consuming Value, desired: consuming Value,
    successOrdering: AtomicUpdateOrdering, failureOrdering: AtomicLoadOrdering
  ) -> (exchanged: Bool, original: Value) {
    let hooks = willAccess()
    let result = atomic.weakCompareExchange(
      expected: expected, desired: desired, successOrdering: successOrdering,
      failureOrdering: failureOrdering)
    didAccess(hooks)
    return result
  }
}
