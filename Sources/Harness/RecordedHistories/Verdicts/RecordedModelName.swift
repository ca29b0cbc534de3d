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
    func verdict(_ model: some RecordedModel) throws(LinearizabilityFileError) -> RecordedVerdict {
      try RecordedVerdict(data, model, limits: limits)
    }
    switch self {
    case .register: return try verdict(RegisterModel(initial: initial))
    case .keyValue: return try verdict(KeyValueModel(initial: initial))
    case .queue: return try verdict(QueueModel())
    case .stack: return try verdict(StackModel())
    case .set: return try verdict(SetModel())
    case .counter: return try verdict(CounterModel(initial: initial))
    case .lock: return try verdict(LockModel())
    }
  }
}
