public import CExploredPoints
public import Synchronization

// The functions of `Atomic`, once for all types. Unlike there, an ordering need not be a constant.

extension ExploredAtomic {
  /// Reads the value.
  @inlinable @inline(__always)
  public borrowing func load(ordering: AtomicLoadOrdering) -> Value {
    access { Self.value(explored_load($0, Self.size, ordering.number)) }
  }

  /// Replaces the value.
  @inlinable @inline(__always)
  public borrowing func store(_ desired: consuming Value, ordering: AtomicStoreOrdering) {
    let desired = Self.bits(desired)
    access { explored_store($0, Self.size, desired, ordering.number) }
  }

  /// Replaces the value and returns the one before.
  @inlinable @inline(__always)
  public borrowing func exchange(
    _ desired: consuming Value, ordering: AtomicUpdateOrdering
  ) -> Value {
    let desired = Self.bits(desired)
    return access { Self.value(explored_exchange($0, Self.size, desired, ordering.number)) }
  }

  /// Replaces the value if it equals another one.
  @inlinable @inline(__always)
  public borrowing func compareExchange(
    expected: consuming Value, desired: consuming Value, ordering: AtomicUpdateOrdering
  ) -> (exchanged: Bool, original: Value) {
    compareExchange(
      expected: expected, desired: desired, successOrdering: ordering,
      failureOrdering: ordering.afterFailure)
  }

  /// Replaces the value if it equals another one.
  @inlinable @inline(__always)
  public borrowing func compareExchange(
    expected: consuming Value, desired: consuming Value,
    successOrdering: AtomicUpdateOrdering, failureOrdering: AtomicLoadOrdering
  ) -> (exchanged: Bool, original: Value) {
    let (expected, desired) = (Self.bits(expected), Self.bits(desired))
    return access {
      var original = expected
      let isExchanged = explored_compare_exchange(
        $0, Self.size, &original, desired, false, successOrdering.number, failureOrdering.number)
      return (isExchanged, Self.value(original))
    }
  }

  /// Replaces the value if it equals another one; may fail although it does.
  @inlinable @inline(__always)
  public borrowing func weakCompareExchange(
    expected: consuming Value, desired: consuming Value, ordering: AtomicUpdateOrdering
  ) -> (exchanged: Bool, original: Value) {
    weakCompareExchange(
      expected: expected, desired: desired, successOrdering: ordering,
      failureOrdering: ordering.afterFailure)
  }

  /// Replaces the value if it equals another one; may fail although it does.
  @inlinable @inline(__always)
  public borrowing func weakCompareExchange(
    expected: consuming Value, desired: consuming Value,
    successOrdering: AtomicUpdateOrdering, failureOrdering: AtomicLoadOrdering
  ) -> (exchanged: Bool, original: Value) {
    let (expected, desired) = (Self.bits(expected), Self.bits(desired))
    return access {
      var original = expected
      let isExchanged = explored_compare_exchange(
        $0, Self.size, &original, desired, true, successOrdering.number, failureOrdering.number)
      return (isExchanged, Self.value(original))
    }
  }
}

// MARK: - Representations as bits

extension ExploredAtomic {
  @inlinable static var size: Int { MemoryLayout<Value.AtomicRepresentation>.size }

  /// The representation in the low bytes. Every platform of Swift is little-endian.
  @inlinable @inline(__always)
  static func bits(_ value: consuming Value) -> UInt64 {
    let representation = Value.encodeAtomicRepresentation(value)
    var bits: UInt64 = 0
    withUnsafeMutableBytes(of: &bits) {
      $0.storeBytes(of: representation, as: Value.AtomicRepresentation.self)
    }
    return bits
  }

  @inlinable @inline(__always)
  static func value(_ bits: UInt64) -> Value {
    let representation = withUnsafeBytes(of: bits) { $0.load(as: Value.AtomicRepresentation.self) }
    return Value.decodeAtomicRepresentation(representation)
  }
}

// MARK: - Orderings as numbers

extension AtomicLoadOrdering {
  @inlinable @inline(__always) var number: Int32 {
    switch self {
    case .relaxed: Int32(EXPLORED_RELAXED)
    case .acquiring: Int32(EXPLORED_ACQUIRING)
    default: Int32(EXPLORED_SEQUENTIALLY_CONSISTENT)
    }
  }
}

extension AtomicStoreOrdering {
  @inlinable @inline(__always) var number: Int32 {
    switch self {
    case .relaxed: Int32(EXPLORED_RELAXED)
    case .releasing: Int32(EXPLORED_RELEASING)
    default: Int32(EXPLORED_SEQUENTIALLY_CONSISTENT)
    }
  }
}

extension AtomicUpdateOrdering {
  @inlinable @inline(__always) var number: Int32 {
    switch self {
    case .relaxed: Int32(EXPLORED_RELAXED)
    case .acquiring: Int32(EXPLORED_ACQUIRING)
    case .releasing: Int32(EXPLORED_RELEASING)
    case .acquiringAndReleasing: Int32(EXPLORED_ACQUIRING_AND_RELEASING)
    default: Int32(EXPLORED_SEQUENTIALLY_CONSISTENT)
    }
  }

  /// The ordering of the read where nothing is written.
  @inlinable @inline(__always) var afterFailure: AtomicLoadOrdering {
    switch self {
    case .relaxed, .releasing: .relaxed
    case .acquiring, .acquiringAndReleasing: .acquiring
    default: .sequentiallyConsistent
    }
  }
}
