public import Foundation

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

  /// The lines of the operations that cannot follow ``order``.
  public let blocked: [Int]

  /// Why the history is not linearizable, in lines of at most 100 columns.
  public let reason: String?

  /// Reads a recorded history and checks it against a model.
  ///
  /// - Parameters:
  ///   - data: The bytes of a ``LinearizabilityFile``.
  ///   - model: The model with its initial value.
  ///   - limits: The limits of the check.
  /// - Throws: ``LinearizabilityFileError`` with every invalid line.
  public init<Model: RecordedModel>(
    _ data: Data, _ model: Model, limits: LinearizabilityLimits = .init()
  ) throws(LinearizabilityFileError) {
    self.init(try LinearizabilityFile<Model>(data), model, limits)
  }

  private init<Model: RecordedModel>(
    _ file: LinearizabilityFile<Model>, _ model: Model, _ limits: LinearizabilityLimits
  ) {
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
      reason = nil
    case .notLinearizable(let violation):
      outcome = .notLinearizable
      order = violation.prefix.map { file.lines[$0] }
      blocked = violation.blocked.map { file.lines[$0.operation] }
      reason = ViolationText(file, checker, violation).text
    case .unknown(let reason):
      outcome = .unknown(reason.description)
      order = []
      blocked = []
      self.reason = nil
    }
  }
}

extension RecordedVerdict: CustomStringConvertible {
  public var description: String {
    let numbers = "\(operations) operations, \(pending) pending, \(failed) failed: "
    return switch outcome {
    case .linearizable: numbers + "linearizable"
    case .unknown(let reason): numbers + "unknown\n\(reason)"
    case .notLinearizable:
      numbers + "not linearizable" + (reason.map { "\n" + $0 } ?? "")
    }
  }
}
