extension Choices {
  /// The meaning of a drawn value, such as `"key"`. Values of one domain are reused, and shrunk
  /// together.
  public struct Domain: Sendable, ExpressibleByStringLiteral {
    @usableFromInline let name: StaticString

    @inlinable
    public init(stringLiteral name: StaticString) { self.name = name }
  }

  /// The values drawn most recently in one domain.
  @usableFromInline struct DomainMemory: Sendable {
    @usableFromInline let domain: Domain
    @usableFromInline var count: UInt64 = 0
    /// A ring buffer of the last eight values.
    @usableFromInline var values = SIMD8<UInt64>()

    @inlinable
    init(domain: Domain) { self.domain = domain }

    @inlinable
    mutating func remember(_ value: UInt64) {
      values[Int(count & 7)] = value
      count += 1
    }

    /// The value that was drawn last, if there is one.
    var latest: UInt64 { values[Int((count &- 1) & 7)] }

    @inlinable
    func value(at bits: UInt64) -> UInt64 {
      count < 8 ? values[Int(bits % count)] : values[Int(bits & 7)]
    }
  }
}

extension Choices.Domain: Hashable, CustomStringConvertible {
  public var description: String { name.description }

  @inlinable
  public static func == (left: Self, right: Self) -> Bool {
    guard left.name.hasPointerRepresentation, right.name.hasPointerRepresentation else {
      return left.description == right.description
    }
    let count = left.name.utf8CodeUnitCount
    guard count == right.name.utf8CodeUnitCount else { return false }
    let (mine, its) = (left.name.utf8Start, right.name.utf8Start)
    if mine == its { return true }
    for index in 0..<count where mine[index] != its[index] { return false }
    return true
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(description) }
}
