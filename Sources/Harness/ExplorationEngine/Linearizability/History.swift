/// What several clients saw of one subject: calls with their responses, and when each happened.
///
/// Intervals are closed: an operation that returns at the very stamp at which another is called
/// overlaps it. Stamps are any clock that all clients share; only their order counts.
public struct History<Command: Sendable, Response: Sendable>: Sendable {
  /// One call by one client.
  public struct Operation: Sendable {
    /// The client that made the call.
    public var client: Int
    /// The call and its arguments.
    public var command: Command
    /// The stamp taken just before the call.
    public var call: Int
    /// How the call ended.
    public var outcome: Outcome

    /// A call that returned.
    public init(
      client: Int, _ command: Command, from call: Int, to end: Int, returning response: Response
    ) {
      self.client = client
      self.command = command
      self.call = call
      outcome = .returned(response, at: end)
    }

    /// A call of which nobody knows whether it took effect: it timed out, threw or never ended.
    public init(client: Int, _ command: Command, from call: Int) {
      self.client = client
      self.command = command
      self.call = call
      outcome = .pending
    }

    /// The stamp of the return, or `nil` while the operation is pending.
    public var end: Int? {
      if case .returned(_, let end) = outcome { return end }
      return nil
    }
  }

  /// How an operation ended.
  public enum Outcome: Sendable {
    /// It returned; the stamp was taken just after.
    case returned(Response, at: Int)
    /// It may take effect at any time after its call, or never.
    case pending
  }

  /// The operations in the order in which they were recorded.
  public let operations: [Operation]

  /// Takes the operations as they are; their order does not matter.
  ///
  /// - Throws: ``HistoryError`` when an operation returns before its call.
  public init(_ operations: [Operation]) throws(HistoryError) {
    for (index, operation) in operations.enumerated() {
      if let end = operation.end, end < operation.call {
        throw .returnsBeforeCall(operation: index, call: operation.call, end: end)
      }
    }
    self.operations = operations
  }

  /// For operations that were checked before.
  init(checked operations: [Operation]) { self.operations = operations }
}

extension History.Operation: Equatable where Command: Equatable, Response: Equatable {}
extension History.Outcome: Equatable where Response: Equatable {}
extension History: Equatable where Command: Equatable, Response: Equatable {}

/// A history that cannot have happened.
public enum HistoryError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The operation at this index returns before it is called.
  case returnsBeforeCall(operation: Int, call: Int, end: Int)

  public var description: String {
    switch self {
    case .returnsBeforeCall(let operation, let call, let end):
      "operation \(operation) returns at \(end), before its call at \(call); "
        + "take both stamps from one clock, the first before the call"
    }
  }
}
