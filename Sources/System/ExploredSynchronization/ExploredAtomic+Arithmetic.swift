public import CExploredPoints
public import Synchronization

extension ExploredAtomic where Value: FixedWidthInteger {
  /// Adds a number, wrapping on overflow.
  @inlinable @inline(__always) @discardableResult
  public borrowing func wrappingAdd(
    _ operand: Value, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Value, newValue: Value) {
    let old = update(explored_add, operand, ordering)
    return (old, old &+ operand)
  }

  /// Subtracts a number, wrapping on overflow.
  @inlinable @inline(__always) @discardableResult
  public borrowing func wrappingSubtract(
    _ operand: Value, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Value, newValue: Value) {
    wrappingAdd(0 &- operand, ordering: ordering)
  }

  /// Adds a number; traps on overflow.
  @inlinable @inline(__always) @discardableResult
  public borrowing func add(
    _ operand: Value, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Value, newValue: Value) {
    replace(ordering) { $0 + operand }
  }

  /// Subtracts a number; traps on overflow.
  @inlinable @inline(__always) @discardableResult
  public borrowing func subtract(
    _ operand: Value, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Value, newValue: Value) {
    replace(ordering) { $0 - operand }
  }

  /// Clears the bits that are not in an operand.
  @inlinable @inline(__always) @discardableResult
  public borrowing func bitwiseAnd(
    _ operand: Value, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Value, newValue: Value) {
    let old = update(explored_and, operand, ordering)
    return (old, old & operand)
  }

  /// Sets the bits of an operand.
  @inlinable @inline(__always) @discardableResult
  public borrowing func bitwiseOr(
    _ operand: Value, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Value, newValue: Value) {
    let old = update(explored_or, operand, ordering)
    return (old, old | operand)
  }

  /// Inverts the bits of an operand.
  @inlinable @inline(__always) @discardableResult
  public borrowing func bitwiseXor(
    _ operand: Value, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Value, newValue: Value) {
    let old = update(explored_xor, operand, ordering)
    return (old, old ^ operand)
  }

  /// Replaces the value by the smaller of it and an operand.
  @inlinable @inline(__always) @discardableResult
  public borrowing func min(
    _ operand: Value, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Value, newValue: Value) {
    replace(ordering) { Swift.min($0, operand) }
  }

  /// Replaces the value by the greater of it and an operand.
  @inlinable @inline(__always) @discardableResult
  public borrowing func max(
    _ operand: Value, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Value, newValue: Value) {
    replace(ordering) { Swift.max($0, operand) }
  }

  /// Replaces the value by a function of it, in one access.
  @inlinable @inline(__always)
  borrowing func replace(
    _ ordering: AtomicUpdateOrdering, _ new: (Value) -> Value
  ) -> (oldValue: Value, newValue: Value) {
    access { address in
      var old = explored_load(address, Self.size, Int32(EXPLORED_RELAXED))
      while true {
        let value = Self.value(old)
        let replacement = new(value)
        if explored_compare_exchange(
          address, Self.size, &old, Self.bits(replacement), true, ordering.number,
          ordering.afterFailure.number)
        {
          return (value, replacement)
        }
      }
    }
  }
}

extension ExploredAtomic where Value == Bool {
  /// Replaces the value by its conjunction with an operand.
  @inlinable @inline(__always) @discardableResult
  public borrowing func logicalAnd(
    _ operand: Bool, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Bool, newValue: Bool) {
    let old = update(explored_and, operand, ordering)
    return (old, old && operand)
  }

  /// Replaces the value by its disjunction with an operand.
  @inlinable @inline(__always) @discardableResult
  public borrowing func logicalOr(
    _ operand: Bool, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Bool, newValue: Bool) {
    let old = update(explored_or, operand, ordering)
    return (old, old || operand)
  }

  /// Replaces the value by whether it differs from an operand.
  @inlinable @inline(__always) @discardableResult
  public borrowing func logicalXor(
    _ operand: Bool, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Bool, newValue: Bool) {
    let old = update(explored_xor, operand, ordering)
    return (old, old != operand)
  }
}

extension ExploredAtomic {
  /// Combines the value with an operand by one instruction, and returns the value before.
  @inlinable @inline(__always)
  borrowing func update(
    _ instruction: (UnsafeMutableRawPointer, Int, UInt64, Int32) -> UInt64, _ operand: Value,
    _ ordering: AtomicUpdateOrdering
  ) -> Value {
    let operand = Self.bits(operand)
    return access { Self.value(instruction($0, Self.size, operand, ordering.number)) }
  }
}
