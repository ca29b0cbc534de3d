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
  ///   - interpretation: The meaning of events that have two.
  ///   - limits: The limits of the check.
  /// - Returns: The result of the check.
  /// - Throws: ``LinearizabilityFileError`` with every invalid line, or with the lines whose meaning
  ///   decides the verdict and is not known.
  public func judge(
    _ data: Data, initial: RecordedValue? = nil, _ interpretation: RecordedInterpretation = .init(),
    limits: LinearizabilityLimits = .init()
  ) throws(LinearizabilityFileError) -> RecordedVerdict {
    switch self {
    case .register:
      try RecordedVerdict(data, RegisterModel(initial: initial), interpretation, limits)
    case .keyValue:
      try RecordedVerdict(data, KeyValueModel(initial: initial), interpretation, limits)
    case .queue: try RecordedVerdict(data, QueueModel(initial: initial), interpretation, limits)
    case .stack: try RecordedVerdict(data, StackModel(initial: initial), interpretation, limits)
    case .set: try RecordedVerdict(data, SetModel(initial: initial), interpretation, limits)
    case .counter: try RecordedVerdict(data, CounterModel(initial: initial), interpretation, limits)
    case .lock: try RecordedVerdict(data, LockModel(initial: initial), interpretation, limits)
    }
  }
}
