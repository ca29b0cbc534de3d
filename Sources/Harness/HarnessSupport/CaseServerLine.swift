/// A line that a process which runs cases by name writes on its connection.
///
/// A command to such a process is a line of case ids. The answer is ``started(_:)`` and how the case ended, for
/// each up to the first that fails, and ``done``.
package enum CaseServerLine: Equatable, Sendable, CustomStringConvertible {
  /// A test that has cases, as a regular expression of its id.
  case test(filter: String)
  /// A case that can be run. An exclusive one uses a resource that only one process may use at a time. The fixture
  /// is the name of its type.
  case served(id: String, kind: String, isExclusive: Bool, fixture: String)
  /// A case that can't be run here.
  case leftOut(id: String, reason: String)
  /// Every case has been named.
  case ready
  case started(String)
  case passed(String)
  case failed(String, message: String)
  /// The case is no evidence, because what it needs was unavailable.
  case unavailable(String)
  /// A command has been carried out.
  case done

  /// Parses a line; returns `nil` if it is none of these.
  package init?(_ text: String) {
    let words = text.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
      .map(String.init)
    let id = words.count > 1 ? words[1] : ""
    let rest = words.count > 2 ? words[2] : ""
    switch words[0] {
    case "test": self = .test(filter: String(text.dropFirst(5)))
    case "case":
      // The name of a generic type may contain spaces.
      let parts = rest.split(separator: " ", maxSplits: 2).map(String.init)
      guard parts.count == 3 else { return nil }
      self = .served(id: id, kind: parts[0], isExclusive: parts[1] == "1", fixture: parts[2])
    case "out": self = .leftOut(id: id, reason: rest)
    case "ready": self = .ready
    case "start": self = .started(id)
    case "pass": self = .passed(id)
    case "fail": self = .failed(id, message: rest)
    case "none": self = .unavailable(id)
    case "done": self = .done
    default: return nil
    }
  }

  /// The line without its end. Line ends in reasons and messages become spaces.
  package var description: String {
    let text =
      switch self {
      case .test(let filter): "test \(filter)"
      case .served(let id, let kind, let isExclusive, let fixture):
        "case \(id) \(kind) \(isExclusive ? 1 : 0) \(fixture)"
      case .leftOut(let id, let reason): "out \(id) \(reason)"
      case .ready: "ready"
      case .started(let id): "start \(id)"
      case .passed(let id): "pass \(id)"
      case .failed(let id, let message): "fail \(id) \(message.prefix(1_000))"
      case .unavailable(let id): "none \(id)"
      case .done: "done"
      }
    return text.replacing("\n", with: " ")
  }
}
