public import Foundation

/// The models that a recorded history can be checked against by name.
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
  ///   - initial: What the subject held before; `nil` for the model's own (`null`, 0 or nothing).
  ///   - limits: When to give up as unknown.
  /// - Throws: ``LinearizabilityFileError`` naming every line that cannot be used.
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

/// What became of a recorded history.
public struct RecordedVerdict: Sendable {
  /// Whether the history can be explained.
  public enum Outcome: Sendable, Hashable {
    case linearizable
    case notLinearizable
    /// A limit was reached first; the text says which.
    case unknown(String)
  }

  /// Whether the history can be explained.
  public let outcome: Outcome

  /// How many operations were judged, and how many of them were pending.
  public let operations: Int
  public let pending: Int

  /// How many operations are known not to have happened.
  public let failed: Int

  /// The lines of one order that explains the history, or of the longest found.
  public let order: [Int]

  /// The lines of the operations that no order can place next, with what the model answers there.
  public let blocked: [(line: Int, operation: String, expected: String)]

  /// A drawing of the smallest part found that is impossible, if the history is.
  public let timeline: String?

  /// Reads a recorded history and checks it against a model.
  ///
  /// - Parameters:
  ///   - data: The bytes of a ``LinearizabilityFile``.
  ///   - model: The model, as it begins.
  ///   - limits: When to give up as unknown.
  /// - Throws: ``LinearizabilityFileError`` naming every line that cannot be used.
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
      text += "not linearizable\nAfter \(order.count) operations nothing fits:"
      for entry in blocked {
        text += "\n  line \(entry.line): \(entry.operation), where \(entry.expected) was expected"
      }
      if let timeline { text += "\nThe smallest impossible part:\n" + timeline }
    }
    return text
  }
}
