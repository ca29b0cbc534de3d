/// A model of a lock with one owner at a time.
public struct LockModel: RecordedModel {
  public static let functions: [String: RecordedFunction] = [
    "acquire": .init(.any, .success), "release": .init(.any, .success),
  ]

  public static let takesProcess = true

  /// The owner, or `nil` if the lock is free.
  public var initialState: RecordedValue? { nil }

  /// Creates a model of a free lock.
  public init() {}

  /// - Returns: Whether the call took effect: the lock was free, or the owner released it.
  public func apply(_ command: RecordedCall, to state: inout RecordedValue?) -> RecordedResponse {
    let (free, held) = (RecordedValue?.none, RecordedValue?.some(command.value))
    let (before, after) = command.function == "acquire" ? (free, held) : (held, free)
    guard state == before else { return .value(false) }
    state = after
    return .value(true)
  }
}

extension RecordedCall {
  /// Acquires a lock if it is free.
  public static func acquire(owner: RecordedValue) -> Self { .init("acquire", value: owner) }

  /// Releases a lock if the owner holds it.
  public static func release(owner: RecordedValue) -> Self { .init("release", value: owner) }
}
