/// Every line of a recorded history that cannot be used.
public struct LinearizabilityFileError: Error, Sendable, Hashable {
  /// One unusable line.
  public struct Line: Sendable, Hashable {
    /// The line's number, from 1.
    public let number: Int
    /// What is wrong with it.
    public let problem: Problem
  }

  /// What can be wrong with a line.
  public enum Problem: Error, Sendable, Hashable {
    case notJSON(String)
    case missing(field: String)
    case wrongType(field: String, needs: String)
    case unknownType(String)
    case unknownFunction(String)
    case badArgument(function: String, needs: String)
    case badResult(function: String, needs: String)
    /// A process calls again although its last call has not ended.
    case stillRunning(process: Int, since: Int)
    /// An `ok`, `fail` or `info` of a process that has called nothing.
    case notRunning(process: Int)
    /// An event ends another call than the one that its process began.
    case otherCall(process: Int, since: Int)
    case returnsBeforeCall(call: Int, end: Int)
    /// Two calls of one process overlap.
    case overlaps(process: Int, line: Int)
    /// Lines of events and lines of whole operations in one file.
    case mixedShapes
  }

  /// The unusable lines, in order.
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
    case .missing(let field): "the field '\(field)' is missing"
    case .wrongType(let field, let needs): "the field '\(field)' must be \(needs)"
    case .unknownType(let type): "the type '\(type)' is none of invoke, ok, fail and info"
    case .unknownFunction(let name): "the model has no function '\(name)'"
    case .badArgument(let function, let needs): "the argument of '\(function)' must be \(needs)"
    case .badResult(let function, let needs): "the result of '\(function)' must be \(needs)"
    case .stillRunning(let process, let since):
      "process \(process) calls again, but its call in line \(since) has not ended"
    case .notRunning(let process): "process \(process) ends a call that it never began"
    case .otherCall(let process, let since):
      "process \(process) ends another call than the one that it began in line \(since)"
    case .returnsBeforeCall(let call, let end): "the return at \(end) is before the call at \(call)"
    case .overlaps(let process, let line):
      "process \(process) makes this call during its call in line \(line)"
    case .mixedShapes: "the file mixes lines with 'type' and lines with 'call'"
    }
  }
}
