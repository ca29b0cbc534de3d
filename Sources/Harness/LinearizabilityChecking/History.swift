/// The calls of several clients on one subject, with their responses and times.
///
/// Times are stamps of any clock that the clients share; only their order matters. Intervals are
/// closed: an operation that returns at the stamp at which another is called overlaps it.
public struct History<Command: Sendable, Response: Sendable>: Sendable {
  /// A call by a client.
  public struct Operation: Sendable {
    /// The client that made the call.
    public var client: Int
    /// The call with its arguments.
    public var command: Command
    /// The stamp immediately before the call.
    public var call: Int
    /// The outcome of the call.
    public var outcome: Outcome

    /// Creates an operation that returned.
    public init(
      client: Int, _ command: Command, from call: Int, to end: Int, returning response: Response
    ) {
      self.client = client
      self.command = command
      self.call = call
      outcome = .returned(response, at: end)
    }

    /// Creates a pending operation: it timed out, threw or never ended, so it is unknown whether it
    /// took effect.
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

  /// The outcome of an operation.
  public enum Outcome: Sendable {
    /// The operation returned; the stamp was taken immediately after.
    case returned(Response, at: Int)
    /// The operation may take effect at any time after its call, or never.
    case pending
  }

  /// The operations in the order in which they were recorded.
  public let operations: [Operation]

  /// Creates a history of operations in any order.
  ///
  /// - Throws: ``HistoryError`` if an operation returns before its call.
  public init(_ operations: [Operation]) throws(HistoryError) {
    for (index, operation) in operations.enumerated() {
      if let end = operation.end, end < operation.call {
        throw .returnsBeforeCall(operation: index, call: operation.call, end: end)
      }
    }
    self.operations = operations
  }

  /// Creates a history of operations that are known to be valid.
  package init(checked operations: [Operation]) { self.operations = operations }
}

extension History.Operation: Equatable where Command: Equatable, Response: Equatable {}
extension History.Outcome: Equatable where Response: Equatable {}
extension History: Equatable where Command: Equatable, Response: Equatable {}

/// An error for a history that cannot have happened.
public enum HistoryError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The operation at this index returns before it is called.
  case returnsBeforeCall(operation: Int, call: Int, end: Int)

  public var description: String {
    switch self {
    case .returnsBeforeCall(let operation, let call, let end):
      "operation \(operation) returns at \(end), before its call at \(call); take both stamps from "
        + "one clock, and the first before the call"
    }
  }
}
