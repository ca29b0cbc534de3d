/// The ways in which a run can fail.
public enum LockStepFailureKind<Response: Sendable>: Sendable {
  /// The subject answered otherwise than the model.
  case mismatch(expected: Response, actual: Response)
  /// The subject threw an error that the specification does not count as a response.
  case threw(type: String, message: String, expected: Response)
  /// The subject did not answer in time.
  case hung(after: Duration)
  /// The process ended, by a trap or a signal.
  case endedProcess
  /// No subject could be made.
  case setUpThrew(type: String, message: String)
  /// The subject could not be torn down after the commands.
  case tearDownThrew(type: String, message: String)

  /// What must stay equal while a failure is shrunk, so that one bug does not turn into another.
  var category: String {
    switch self {
    case .mismatch: "mismatch"
    case .threw(let type, _, _): "threw \(type)"
    case .hung: "hung"
    case .endedProcess: "ended the process"
    case .setUpThrew(let type, _): "set-up threw \(type)"
    case .tearDownThrew(let type, _): "tear-down threw \(type)"
    }
  }

  /// Whether a command is to blame, and not the making or tearing down of the subject.
  var isOfCommand: Bool {
    switch self {
    case .mismatch, .threw, .hung, .endedProcess: true
    case .setUpThrew, .tearDownThrew: false
    }
  }

  @usableFromInline
  static func threw(_ error: any Error, expected: Response) -> Self {
    .threw(type: "\(type(of: error))", message: "\(error)", expected: expected)
  }

  @usableFromInline
  static func setUpThrew(_ error: any Error) -> Self {
    .setUpThrew(type: "\(type(of: error))", message: "\(error)")
  }

  @usableFromInline
  static func tearDownThrew(_ error: any Error) -> Self {
    .tearDownThrew(type: "\(type(of: error))", message: "\(error)")
  }
}

extension LockStepFailureKind: CustomStringConvertible {
  public var description: String {
    switch self {
    case .mismatch(let expected, let actual): "expected \(expected), got \(actual)"
    case .threw(let type, let message, let expected):
      "expected \(expected), but it threw \(type): \(message)"
    case .hung(let time): "no answer within \(time)"
    case .endedProcess: "the process ended here"
    case .setUpThrew(let type, let message): "making the subject threw \(type): \(message)"
    case .tearDownThrew(let type, let message): "tearing down threw \(type): \(message)"
    }
  }
}
