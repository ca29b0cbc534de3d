public import Foundation

/// The names of the models that a recorded history can be checked against.
public enum RecordedModelName: String, Sendable, CaseIterable {
  case register
  case keyValue = "key-value"
  case queue
  case stack
  case set
  case counter
  case lock

  /// Reads a recorded history and checks it.
  ///
  /// - Parameters:
  ///   - data: The bytes of a ``LinearizabilityFile``.
  ///   - initial: The initial value; `nil` for the model's default (`null`, 0 or empty).
  ///   - limits: The limits of the check.
  /// - Returns: The result of the check.
  /// - Throws: ``LinearizabilityFileError`` with every invalid line.
  public func judge(
    _ data: Data, initial: RecordedValue? = nil, limits: LinearizabilityLimits = .init()
  ) throws(LinearizabilityFileError) -> RecordedVerdict {
    switch self {
    case .register: try RecordedVerdict(data, RegisterModel(initial: initial), limits)
    case .keyValue: try RecordedVerdict(data, KeyValueModel(initial: initial), limits)
    case .queue: try RecordedVerdict(data, QueueModel(initial: initial), limits)
    case .stack: try RecordedVerdict(data, StackModel(initial: initial), limits)
    case .set: try RecordedVerdict(data, SetModel(initial: initial), limits)
    case .counter: try RecordedVerdict(data, CounterModel(initial: initial), limits)
    case .lock: try RecordedVerdict(data, LockModel(initial: initial), limits)
    }
  }
}

/// The result of checking a recorded history.
public struct RecordedVerdict: Sendable {
  /// Whether the history is linearizable.
  public enum Outcome: Sendable, Hashable {
    case linearizable
    case notLinearizable
    /// The check reached a limit, which the text names.
    case unknown(String)
  }

  /// Whether the history is linearizable.
  public let outcome: Outcome

  /// The number of operations that were checked.
  public let operations: Int

  /// The number of pending operations among ``operations``.
  public let pending: Int

  /// The number of operations that failed, so that they did not happen.
  public let failed: Int

  /// The lines of an order that explains the history, or of the longest order found.
  public let order: [Int]

  /// The lines of the operations that cannot follow ``order``, with the model's response there.
  public let blocked: [(line: Int, operation: String, expected: String)]

  /// A drawing of the smallest part found that is not linearizable, if the history is not.
  public let timeline: String?

  /// Reads a recorded history and checks it against a model.
  ///
  /// - Parameters:
  ///   - data: The bytes of a ``LinearizabilityFile``.
  ///   - model: The model with its initial value.
  ///   - limits: The limits of the check.
  /// - Throws: ``LinearizabilityFileError`` with every invalid line.
  public init<Model: RecordedModel>(
    _ data: Data, _ model: Model, _ limits: LinearizabilityLimits = .init()
  ) throws(LinearizabilityFileError) {
    let file = try LinearizabilityFile<Model>(data)
    let checker = LinearizabilityChecker(PartlyStated(base: model), limits: limits)
    let history = file.history
    operations = history.operations.count
    pending = history.operations.count { $0.end == nil }
    failed = file.failed
    switch checker.check(history) {
    case .linearizable(let order):
      outcome = .linearizable
      self.order = order.map { file.lines[$0] }
      blocked = []
      timeline = nil
    case .notLinearizable(let violation):
      outcome = .notLinearizable
      order = violation.prefix.map { file.lines[$0] }
      blocked = violation.blocked.map { blocked in
        (
          file.lines[blocked.operation], "\(history.operations[blocked.operation].command)",
          "\(blocked.expected)"
        )
      }
      timeline = checker.minimized(history)?.timeline
    case .unknown(let reason):
      outcome = .unknown(reason.description)
      order = []
      blocked = []
      timeline = nil
    }
  }
}

extension RecordedVerdict: CustomStringConvertible {
  public var description: String {
    var text = "\(operations) operations, \(pending) pending, \(failed) failed: "
    switch outcome {
    case .linearizable: text += "linearizable"
    case .unknown(let reason): text += "unknown, \(reason)"
    case .notLinearizable:
      text += "not linearizable\nNo operation can follow the first \(order.count):"
      for entry in blocked {
        text += "\n  line \(entry.line): \(entry.operation), expected \(entry.expected)"
      }
      if let timeline { text += "\nThe smallest part that is not linearizable:\n" + timeline }
    }
    return text
  }
}
