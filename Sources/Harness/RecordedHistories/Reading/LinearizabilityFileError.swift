/// An error with every invalid line of a recorded history.
public struct LinearizabilityFileError: Error, Sendable, Hashable {
  /// An invalid line.
  public struct Line: Sendable, Hashable {
    /// The line's number, from 1.
    public let number: Int
    /// The problem with the line.
    public let problem: Problem

    package init(number: Int, problem: Problem) {
      self.number = number
      self.problem = problem
    }
  }

  /// The problems that a line can have.
  public enum Problem: Error, Sendable, Hashable {
    case notJSON(String)
    /// A number that does not fit into 64 bits, or is none.
    case badNumber(String)
    case missing(field: String)
    case wrongType(field: String, needs: String)
    case unknownType(String)
    case unknownFunction(String)
    case badArgument(function: String, needs: String)
    case badResult(function: String, needs: String)
    /// A process starts a call before its last call has ended.
    case stillRunning(process: Int, since: Int)
    /// An `ok`, `fail` or `info` event of a process that has no call.
    case notRunning(process: Int)
    /// An event ends another call than the one that its process started.
    case otherCall(process: Int, since: Int)
    case returnsBeforeCall(call: Int, end: Int)
    /// Two calls of one process overlap.
    case overlaps(process: Int, line: Int)
    /// The file has both events and whole operations.
    case mixedShapes
  }

  /// The invalid lines, in order.
  public let lines: [Line]
}

extension LinearizabilityFileError: CustomStringConvertible {
  public var description: String {
    lines.map { "line \($0.number): \($0.problem)" }.joined(separator: "\n")
  }
}

extension LinearizabilityFileError.Problem: CustomStringConvertible {
  public var description: String {
    switch self {
    case .notJSON(let detail): "not a JSON object: \(detail)"
    case .badNumber(let text): "the number \(text) does not fit into 64 bits"
    case .missing(let field): "the field '\(field)' is missing"
    case .wrongType(let field, let needs): "the field '\(field)' must be \(needs)"
    case .unknownType(let type): "unknown type '\(type)'; use invoke, ok, fail or info"
    case .unknownFunction(let name): "the model has no function '\(name)'"
    case .badArgument(let function, let needs): "the argument of '\(function)' must be \(needs)"
    case .badResult(let function, let needs): "the result of '\(function)' must be \(needs)"
    case .stillRunning(let process, let since):
      "process \(process) starts a call, but its call in line \(since) has not ended"
    case .notRunning(let process): "process \(process) ends a call that it did not start"
    case .otherCall(let process, let since):
      "process \(process) ends another call than the one that it started in line \(since)"
    case .returnsBeforeCall(let call, let end): "the return at \(end) is before the call at \(call)"
    case .overlaps(let process, let line):
      "this call of process \(process) overlaps its call in line \(line)"
    case .mixedShapes: "the file has both lines with 'type' and lines with 'call'"
    }
  }
}
