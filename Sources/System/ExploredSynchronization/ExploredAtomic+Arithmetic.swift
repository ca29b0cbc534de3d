public import CExploredPoints
public import Synchronization

// As in `Synchronization`, each integer type has functions of its own.

extension ExploredAtomic where Value == Int {
  /// Adds a number, wrapping on overflow.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func wrappingAdd(
    _ operand: Int, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Int, newValue: Int) {
    let hooks = willAccess()
    let values = atomic.wrappingAdd(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Subtracts a number, wrapping on overflow.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func wrappingSubtract(
    _ operand: Int, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Int, newValue: Int) {
    let hooks = willAccess()
    let values = atomic.wrappingSubtract(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Adds a number; traps on overflow.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func add(
    _ operand: Int, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Int, newValue: Int) {
    let hooks = willAccess()
    let values = atomic.add(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Subtracts a number; traps on overflow.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func subtract(
    _ operand: Int, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Int, newValue: Int) {
    let hooks = willAccess()
    let values = atomic.subtract(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Clears the bits that are not in an operand.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func bitwiseAnd(
    _ operand: Int, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Int, newValue: Int) {
    let hooks = willAccess()
    let values = atomic.bitwiseAnd(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Sets the bits of an operand.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func bitwiseOr(
    _ operand: Int, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Int, newValue: Int) {
    let hooks = willAccess()
    let values = atomic.bitwiseOr(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Inverts the bits of an operand.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func bitwiseXor(
    _ operand: Int, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Int, newValue: Int) {
    let hooks = willAccess()
    let values = atomic.bitwiseXor(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Replaces the value by the smaller of it and an operand.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func min(
    _ operand: Int, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Int, newValue: Int) {
    let hooks = willAccess()
    let values = atomic.min(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Replaces the value by the greater of it and an operand.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func max(
    _ operand: Int, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Int, newValue: Int) {
    let hooks = willAccess()
    let values = atomic.max(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }
}

extension ExploredAtomic where Value == Int8 {
  /// Adds a number, wrapping on overflow.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func wrappingAdd(
    _ operand: Int8, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Int8, newValue: Int8) {
    let hooks = willAccess()
    let values = atomic.wrappingAdd(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Subtracts a number, wrapping on overflow.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func wrappingSubtract(
    _ operand: Int8, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Int8, newValue: Int8) {
    let hooks = willAccess()
    let values = atomic.wrappingSubtract(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Adds a number; traps on overflow.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func add(
    _ operand: Int8, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Int8, newValue: Int8) {
    let hooks = willAccess()
    let values = atomic.add(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Subtracts a number; traps on overflow.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func subtract(
    _ operand: Int8, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Int8, newValue: Int8) {
    let hooks = willAccess()
    let values = atomic.subtract(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Clears the bits that are not in an operand.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func bitwiseAnd(
    _ operand: Int8, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Int8, newValue: Int8) {
    let hooks = willAccess()
    let values = atomic.bitwiseAnd(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Sets the bits of an operand.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func bitwiseOr(
    _ operand: Int8, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Int8, newValue: Int8) {
    let hooks = willAccess()
    let values = atomic.bitwiseOr(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Inverts the bits of an operand.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func bitwiseXor(
    _ operand: Int8, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Int8, newValue: Int8) {
    let hooks = willAccess()
    let values = atomic.bitwiseXor(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Replaces the value by the smaller of it and an operand.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func min(
    _ operand: Int8, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Int8, newValue: Int8) {
    let hooks = willAccess()
    let values = atomic.min(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Replaces the value by the greater of it and an operand.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func max(
    _ operand: Int8, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Int8, newValue: Int8) {
    let hooks = willAccess()
    let values = atomic.max(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }
}

extension ExploredAtomic where Value == Int16 {
  /// Adds a number, wrapping on overflow.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func wrappingAdd(
    _ operand: Int16, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Int16, newValue: Int16) {
    let hooks = willAccess()
    let values = atomic.wrappingAdd(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Subtracts a number, wrapping on overflow.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func wrappingSubtract(
    _ operand: Int16, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Int16, newValue: Int16) {
    let hooks = willAccess()
    let values = atomic.wrappingSubtract(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Adds a number; traps on overflow.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func add(
    _ operand: Int16, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Int16, newValue: Int16) {
    let hooks = willAccess()
    let values = atomic.add(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Subtracts a number; traps on overflow.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func subtract(
    _ operand: Int16, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Int16, newValue: Int16) {
    let hooks = willAccess()
    let values = atomic.subtract(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Clears the bits that are not in an operand.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func bitwiseAnd(
    _ operand: Int16, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Int16, newValue: Int16) {
    let hooks = willAccess()
    let values = atomic.bitwiseAnd(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Sets the bits of an operand.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func bitwiseOr(
    _ operand: Int16, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Int16, newValue: Int16) {
    let hooks = willAccess()
    let values = atomic.bitwiseOr(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Inverts the bits of an operand.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func bitwiseXor(
    _ operand: Int16, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Int16, newValue: Int16) {
    let hooks = willAccess()
    let values = atomic.bitwiseXor(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Replaces the value by the smaller of it and an operand.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func min(
    _ operand: Int16, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Int16, newValue: Int16) {
    let hooks = willAccess()
    let values = atomic.min(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Replaces the value by the greater of it and an operand.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func max(
    _ operand: Int16, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Int16, newValue: Int16) {
    let hooks = willAccess()
    let values = atomic.max(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }
}

extension ExploredAtomic where Value == Int32 {
  /// Adds a number, wrapping on overflow.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func wrappingAdd(
    _ operand: Int32, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Int32, newValue: Int32) {
    let hooks = willAccess()
    let values = atomic.wrappingAdd(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Subtracts a number, wrapping on overflow.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func wrappingSubtract(
    _ operand: Int32, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Int32, newValue: Int32) {
    let hooks = willAccess()
    let values = atomic.wrappingSubtract(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Adds a number; traps on overflow.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func add(
    _ operand: Int32, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Int32, newValue: Int32) {
    let hooks = willAccess()
    let values = atomic.add(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Subtracts a number; traps on overflow.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func subtract(
    _ operand: Int32, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Int32, newValue: Int32) {
    let hooks = willAccess()
    let values = atomic.subtract(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Clears the bits that are not in an operand.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func bitwiseAnd(
    _ operand: Int32, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Int32, newValue: Int32) {
    let hooks = willAccess()
    let values = atomic.bitwiseAnd(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Sets the bits of an operand.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func bitwiseOr(
    _ operand: Int32, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Int32, newValue: Int32) {
    let hooks = willAccess()
    let values = atomic.bitwiseOr(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Inverts the bits of an operand.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func bitwiseXor(
    _ operand: Int32, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Int32, newValue: Int32) {
    let hooks = willAccess()
    let values = atomic.bitwiseXor(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Replaces the value by the smaller of it and an operand.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func min(
    _ operand: Int32, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Int32, newValue: Int32) {
    let hooks = willAccess()
    let values = atomic.min(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Replaces the value by the greater of it and an operand.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func max(
    _ operand: Int32, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Int32, newValue: Int32) {
    let hooks = willAccess()
    let values = atomic.max(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }
}

extension ExploredAtomic where Value == Int64 {
  /// Adds a number, wrapping on overflow.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func wrappingAdd(
    _ operand: Int64, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Int64, newValue: Int64) {
    let hooks = willAccess()
    let values = atomic.wrappingAdd(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Subtracts a number, wrapping on overflow.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func wrappingSubtract(
    _ operand: Int64, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Int64, newValue: Int64) {
    let hooks = willAccess()
    let values = atomic.wrappingSubtract(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Adds a number; traps on overflow.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func add(
    _ operand: Int64, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Int64, newValue: Int64) {
    let hooks = willAccess()
    let values = atomic.add(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Subtracts a number; traps on overflow.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func subtract(
    _ operand: Int64, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Int64, newValue: Int64) {
    let hooks = willAccess()
    let values = atomic.subtract(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Clears the bits that are not in an operand.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func bitwiseAnd(
    _ operand: Int64, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Int64, newValue: Int64) {
    let hooks = willAccess()
    let values = atomic.bitwiseAnd(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Sets the bits of an operand.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func bitwiseOr(
    _ operand: Int64, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Int64, newValue: Int64) {
    let hooks = willAccess()
    let values = atomic.bitwiseOr(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Inverts the bits of an operand.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func bitwiseXor(
    _ operand: Int64, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Int64, newValue: Int64) {
    let hooks = willAccess()
    let values = atomic.bitwiseXor(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Replaces the value by the smaller of it and an operand.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func min(
    _ operand: Int64, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Int64, newValue: Int64) {
    let hooks = willAccess()
    let values = atomic.min(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Replaces the value by the greater of it and an operand.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func max(
    _ operand: Int64, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Int64, newValue: Int64) {
    let hooks = willAccess()
    let values = atomic.max(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }
}

extension ExploredAtomic where Value == UInt {
  /// Adds a number, wrapping on overflow.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func wrappingAdd(
    _ operand: UInt, ordering: AtomicUpdateOrdering
  ) -> (oldValue: UInt, newValue: UInt) {
    let hooks = willAccess()
    let values = atomic.wrappingAdd(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Subtracts a number, wrapping on overflow.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func wrappingSubtract(
    _ operand: UInt, ordering: AtomicUpdateOrdering
  ) -> (oldValue: UInt, newValue: UInt) {
    let hooks = willAccess()
    let values = atomic.wrappingSubtract(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Adds a number; traps on overflow.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func add(
    _ operand: UInt, ordering: AtomicUpdateOrdering
  ) -> (oldValue: UInt, newValue: UInt) {
    let hooks = willAccess()
    let values = atomic.add(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Subtracts a number; traps on overflow.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func subtract(
    _ operand: UInt, ordering: AtomicUpdateOrdering
  ) -> (oldValue: UInt, newValue: UInt) {
    let hooks = willAccess()
    let values = atomic.subtract(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Clears the bits that are not in an operand.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func bitwiseAnd(
    _ operand: UInt, ordering: AtomicUpdateOrdering
  ) -> (oldValue: UInt, newValue: UInt) {
    let hooks = willAccess()
    let values = atomic.bitwiseAnd(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Sets the bits of an operand.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func bitwiseOr(
    _ operand: UInt, ordering: AtomicUpdateOrdering
  ) -> (oldValue: UInt, newValue: UInt) {
    let hooks = willAccess()
    let values = atomic.bitwiseOr(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Inverts the bits of an operand.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func bitwiseXor(
    _ operand: UInt, ordering: AtomicUpdateOrdering
  ) -> (oldValue: UInt, newValue: UInt) {
    let hooks = willAccess()
    let values = atomic.bitwiseXor(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Replaces the value by the smaller of it and an operand.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func min(
    _ operand: UInt, ordering: AtomicUpdateOrdering
  ) -> (oldValue: UInt, newValue: UInt) {
    let hooks = willAccess()
    let values = atomic.min(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Replaces the value by the greater of it and an operand.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func max(
    _ operand: UInt, ordering: AtomicUpdateOrdering
  ) -> (oldValue: UInt, newValue: UInt) {
    let hooks = willAccess()
    let values = atomic.max(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }
}

extension ExploredAtomic where Value == UInt8 {
  /// Adds a number, wrapping on overflow.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func wrappingAdd(
    _ operand: UInt8, ordering: AtomicUpdateOrdering
  ) -> (oldValue: UInt8, newValue: UInt8) {
    let hooks = willAccess()
    let values = atomic.wrappingAdd(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Subtracts a number, wrapping on overflow.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func wrappingSubtract(
    _ operand: UInt8, ordering: AtomicUpdateOrdering
  ) -> (oldValue: UInt8, newValue: UInt8) {
    let hooks = willAccess()
    let values = atomic.wrappingSubtract(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Adds a number; traps on overflow.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func add(
    _ operand: UInt8, ordering: AtomicUpdateOrdering
  ) -> (oldValue: UInt8, newValue: UInt8) {
    let hooks = willAccess()
    let values = atomic.add(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Subtracts a number; traps on overflow.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func subtract(
    _ operand: UInt8, ordering: AtomicUpdateOrdering
  ) -> (oldValue: UInt8, newValue: UInt8) {
    let hooks = willAccess()
    let values = atomic.subtract(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Clears the bits that are not in an operand.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func bitwiseAnd(
    _ operand: UInt8, ordering: AtomicUpdateOrdering
  ) -> (oldValue: UInt8, newValue: UInt8) {
    let hooks = willAccess()
    let values = atomic.bitwiseAnd(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Sets the bits of an operand.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func bitwiseOr(
    _ operand: UInt8, ordering: AtomicUpdateOrdering
  ) -> (oldValue: UInt8, newValue: UInt8) {
    let hooks = willAccess()
    let values = atomic.bitwiseOr(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Inverts the bits of an operand.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func bitwiseXor(
    _ operand: UInt8, ordering: AtomicUpdateOrdering
  ) -> (oldValue: UInt8, newValue: UInt8) {
    let hooks = willAccess()
    let values = atomic.bitwiseXor(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Replaces the value by the smaller of it and an operand.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func min(
    _ operand: UInt8, ordering: AtomicUpdateOrdering
  ) -> (oldValue: UInt8, newValue: UInt8) {
    let hooks = willAccess()
    let values = atomic.min(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Replaces the value by the greater of it and an operand.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func max(
    _ operand: UInt8, ordering: AtomicUpdateOrdering
  ) -> (oldValue: UInt8, newValue: UInt8) {
    let hooks = willAccess()
    let values = atomic.max(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }
}

extension ExploredAtomic where Value == UInt16 {
  /// Adds a number, wrapping on overflow.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func wrappingAdd(
    _ operand: UInt16, ordering: AtomicUpdateOrdering
  ) -> (oldValue: UInt16, newValue: UInt16) {
    let hooks = willAccess()
    let values = atomic.wrappingAdd(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Subtracts a number, wrapping on overflow.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func wrappingSubtract(
    _ operand: UInt16, ordering: AtomicUpdateOrdering
  ) -> (oldValue: UInt16, newValue: UInt16) {
    let hooks = willAccess()
    let values = atomic.wrappingSubtract(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Adds a number; traps on overflow.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func add(
    _ operand: UInt16, ordering: AtomicUpdateOrdering
  ) -> (oldValue: UInt16, newValue: UInt16) {
    let hooks = willAccess()
    let values = atomic.add(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Subtracts a number; traps on overflow.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func subtract(
    _ operand: UInt16, ordering: AtomicUpdateOrdering
  ) -> (oldValue: UInt16, newValue: UInt16) {
    let hooks = willAccess()
    let values = atomic.subtract(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Clears the bits that are not in an operand.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func bitwiseAnd(
    _ operand: UInt16, ordering: AtomicUpdateOrdering
  ) -> (oldValue: UInt16, newValue: UInt16) {
    let hooks = willAccess()
    let values = atomic.bitwiseAnd(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Sets the bits of an operand.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func bitwiseOr(
    _ operand: UInt16, ordering: AtomicUpdateOrdering
  ) -> (oldValue: UInt16, newValue: UInt16) {
    let hooks = willAccess()
    let values = atomic.bitwiseOr(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Inverts the bits of an operand.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func bitwiseXor(
    _ operand: UInt16, ordering: AtomicUpdateOrdering
  ) -> (oldValue: UInt16, newValue: UInt16) {
    let hooks = willAccess()
    let values = atomic.bitwiseXor(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Replaces the value by the smaller of it and an operand.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func min(
    _ operand: UInt16, ordering: AtomicUpdateOrdering
  ) -> (oldValue: UInt16, newValue: UInt16) {
    let hooks = willAccess()
    let values = atomic.min(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Replaces the value by the greater of it and an operand.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func max(
    _ operand: UInt16, ordering: AtomicUpdateOrdering
  ) -> (oldValue: UInt16, newValue: UInt16) {
    let hooks = willAccess()
    let values = atomic.max(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }
}

extension ExploredAtomic where Value == UInt32 {
  /// Adds a number, wrapping on overflow.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func wrappingAdd(
    _ operand: UInt32, ordering: AtomicUpdateOrdering
  ) -> (oldValue: UInt32, newValue: UInt32) {
    let hooks = willAccess()
    let values = atomic.wrappingAdd(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Subtracts a number, wrapping on overflow.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func wrappingSubtract(
    _ operand: UInt32, ordering: AtomicUpdateOrdering
  ) -> (oldValue: UInt32, newValue: UInt32) {
    let hooks = willAccess()
    let values = atomic.wrappingSubtract(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Adds a number; traps on overflow.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func add(
    _ operand: UInt32, ordering: AtomicUpdateOrdering
  ) -> (oldValue: UInt32, newValue: UInt32) {
    let hooks = willAccess()
    let values = atomic.add(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Subtracts a number; traps on overflow.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func subtract(
    _ operand: UInt32, ordering: AtomicUpdateOrdering
  ) -> (oldValue: UInt32, newValue: UInt32) {
    let hooks = willAccess()
    let values = atomic.subtract(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Clears the bits that are not in an operand.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func bitwiseAnd(
    _ operand: UInt32, ordering: AtomicUpdateOrdering
  ) -> (oldValue: UInt32, newValue: UInt32) {
    let hooks = willAccess()
    let values = atomic.bitwiseAnd(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Sets the bits of an operand.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func bitwiseOr(
    _ operand: UInt32, ordering: AtomicUpdateOrdering
  ) -> (oldValue: UInt32, newValue: UInt32) {
    let hooks = willAccess()
    let values = atomic.bitwiseOr(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Inverts the bits of an operand.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func bitwiseXor(
    _ operand: UInt32, ordering: AtomicUpdateOrdering
  ) -> (oldValue: UInt32, newValue: UInt32) {
    let hooks = willAccess()
    let values = atomic.bitwiseXor(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Replaces the value by the smaller of it and an operand.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func min(
    _ operand: UInt32, ordering: AtomicUpdateOrdering
  ) -> (oldValue: UInt32, newValue: UInt32) {
    let hooks = willAccess()
    let values = atomic.min(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Replaces the value by the greater of it and an operand.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func max(
    _ operand: UInt32, ordering: AtomicUpdateOrdering
  ) -> (oldValue: UInt32, newValue: UInt32) {
    let hooks = willAccess()
    let values = atomic.max(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }
}

extension ExploredAtomic where Value == UInt64 {
  /// Adds a number, wrapping on overflow.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func wrappingAdd(
    _ operand: UInt64, ordering: AtomicUpdateOrdering
  ) -> (oldValue: UInt64, newValue: UInt64) {
    let hooks = willAccess()
    let values = atomic.wrappingAdd(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Subtracts a number, wrapping on overflow.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func wrappingSubtract(
    _ operand: UInt64, ordering: AtomicUpdateOrdering
  ) -> (oldValue: UInt64, newValue: UInt64) {
    let hooks = willAccess()
    let values = atomic.wrappingSubtract(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Adds a number; traps on overflow.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func add(
    _ operand: UInt64, ordering: AtomicUpdateOrdering
  ) -> (oldValue: UInt64, newValue: UInt64) {
    let hooks = willAccess()
    let values = atomic.add(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Subtracts a number; traps on overflow.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func subtract(
    _ operand: UInt64, ordering: AtomicUpdateOrdering
  ) -> (oldValue: UInt64, newValue: UInt64) {
    let hooks = willAccess()
    let values = atomic.subtract(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Clears the bits that are not in an operand.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func bitwiseAnd(
    _ operand: UInt64, ordering: AtomicUpdateOrdering
  ) -> (oldValue: UInt64, newValue: UInt64) {
    let hooks = willAccess()
    let values = atomic.bitwiseAnd(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Sets the bits of an operand.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func bitwiseOr(
    _ operand: UInt64, ordering: AtomicUpdateOrdering
  ) -> (oldValue: UInt64, newValue: UInt64) {
    let hooks = willAccess()
    let values = atomic.bitwiseOr(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Inverts the bits of an operand.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func bitwiseXor(
    _ operand: UInt64, ordering: AtomicUpdateOrdering
  ) -> (oldValue: UInt64, newValue: UInt64) {
    let hooks = willAccess()
    let values = atomic.bitwiseXor(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Replaces the value by the smaller of it and an operand.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func min(
    _ operand: UInt64, ordering: AtomicUpdateOrdering
  ) -> (oldValue: UInt64, newValue: UInt64) {
    let hooks = willAccess()
    let values = atomic.min(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Replaces the value by the greater of it and an operand.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func max(
    _ operand: UInt64, ordering: AtomicUpdateOrdering
  ) -> (oldValue: UInt64, newValue: UInt64) {
    let hooks = willAccess()
    let values = atomic.max(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }
}

extension ExploredAtomic where Value == Bool {
  /// Replaces the value by its conjunction with an operand.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func logicalAnd(
    _ operand: Bool, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Bool, newValue: Bool) {
    let hooks = willAccess()
    let values = atomic.logicalAnd(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Replaces the value by its disjunction with an operand.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func logicalOr(
    _ operand: Bool, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Bool, newValue: Bool) {
    let hooks = willAccess()
    let values = atomic.logicalOr(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }

  /// Replaces the value by its exclusive disjunction with an operand.
  @_semantics("atomics.requires_constant_orderings") @_alwaysEmitIntoClient @_transparent
  @discardableResult
  public borrowing func logicalXor(
    _ operand: Bool, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Bool, newValue: Bool) {
    let hooks = willAccess()
    let values = atomic.logicalXor(operand, ordering: ordering)
    didAccess(hooks)
    return values
  }
}
