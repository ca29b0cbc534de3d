import HarnessSupport

/// The kinds of failure of a run.
public enum LockStepFailureKind<Response: Sendable>: Sendable {
  /// The subject's response differs from the model's.
  case mismatch(expected: Response, actual: Response)
  /// The same, in a process that describes the subject's response.
  case differed(expected: Response, actual: String)
  /// The subject threw an error that is not a response.
  case threw(type: String, message: String, expected: Response)
  /// The run timed out.
  case timedOut(after: Duration)
  /// The process ended while it ran the last command: by a signal, a trap or an exit.
  ///
  /// The text says how, with the last line that the process printed; it is empty if an earlier
  /// process ended, of which only the commands are known.
  case endedProcess(String)
  /// The process ended while it created the subject.
  case setUpEndedProcess(String)
  /// The model or the generator ended the process after these commands. The text says how. The step of such a
  /// failure is the number of commands begun.
  case specificationEndedProcess(String)
  /// Creating the subject threw an error.
  case setUpThrew(type: String, message: String)
  /// Tearing down the subject threw an error.
  case tearDownThrew(type: String, message: String)

  /// The part of the failure that must stay the same while it is shrunk, so that one bug does not
  /// become another.
  package var category: String {
    switch self {
    case .mismatch(_, let actual): "mismatch" + Self.category(ofDescription: "\(actual)")
    case .differed(_, let actual): "mismatch" + Self.category(ofDescription: actual)
    case .threw(let type, _, _): "threw \(type)"
    case .timedOut: "timed out"
    case .endedProcess: "ended the process"
    case .setUpEndedProcess: "setup ended the process"
    case .specificationEndedProcess: "specification ended the process"
    case .setUpThrew(let type, _): "setup threw \(type)"
    case .tearDownThrew(let type, _): "teardown threw \(type)"
    }
  }

  private static func category(ofDescription text: @autoclosure () -> String) -> String {
    (Response.self as? any CategorizedResponse.Type)?.category(ofDescription: text()) ?? ""
  }

  /// Whether a command failed, and not the setup or the teardown of the subject.
  var isOfCommand: Bool {
    switch self {
    case .mismatch, .differed, .threw, .timedOut, .endedProcess: true
    case .specificationEndedProcess, .setUpThrew, .setUpEndedProcess, .tearDownThrew: false
    }
  }

  /// Whether the process that ran the subject has ended.
  var hasEndedProcess: Bool {
    switch self {
    case .endedProcess, .setUpEndedProcess: true
    default: false
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
    case .mismatch(let expected, let actual):
      "expected \(expected), got \(actual)"
        + (LookalikeDifference.text(expected, actual).map { " (\($0))" } ?? "")
    case .differed(let expected, let actual): "expected \(expected), got \(actual)"
    case .threw(let type, let message, let expected):
      "expected \(expected), but it threw \(type): \(message)"
    case .timedOut(let time): "timed out after \(time)"
    case .endedProcess(let reason):
      "the process ended here" + (reason.isEmpty ? "" : " (\(reason))")
    case .setUpEndedProcess(let reason):
      "creating the subject ended the process" + (reason.isEmpty ? "" : " (\(reason))")
    case .specificationEndedProcess(let reason):
      "the model or the generator ended the process after these commands (\(reason))"
    case .setUpThrew(let type, let message): "creating the subject threw \(type): \(message)"
    case .tearDownThrew(let type, let message): "tearing down the subject threw \(type): \(message)"
    }
  }
}

/// A response whose description says in which way it is wrong.
package protocol CategorizedResponse {
  /// The part of a description that must stay the same while a failure is shrunk.
  static func category(ofDescription description: String) -> String
}
