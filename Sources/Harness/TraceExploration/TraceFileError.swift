import Foundation
internal import LockStepExploration

/// An error for a file of traces that cannot be read or written.
public struct TraceFileError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong with a file of traces.
  public enum Problem: Hashable, Sendable {
    /// There is no file at the path.
    case missing
    /// The path leads to a folder, a pipe or a device.
    case notAFile
    /// The system does not let the file be read; the text says why.
    case unreadable(String)
    /// The file is larger than what is read, in bytes.
    case tooLarge(limit: Int)
    /// The line is not UTF-8.
    case notText
    /// The line is a mark that a merge left.
    case mergeConflict
    /// The last line has no end: the file was cut off.
    case truncated
    /// The line is no JSON object of the expected form; the text says why.
    case notJSON(String)
    /// The first line does not describe a recording.
    case noHeader
    /// The format has another version.
    case otherFormat(Int)
    /// The traces are those of another specification.
    case otherSpecification(String, expected: String)
    /// The line does not begin a trace where one must begin.
    case notATrace
    /// The line is no step of a trace.
    case notAStep
    /// The specification has no such command; the text says why.
    case unknownCommand(String)
    /// The specification has no such response; the text says why.
    case unknownResponse(String)
    /// The steps of the trace are not those that were recorded.
    case changed
    /// Traces are missing, or there are too many.
    case incomplete(traces: Int, of: Int)
    /// A command or a response cannot be written so that it reads back as itself; the text says
    /// why.
    case valueNotRestored(String)
    /// The system does not let the file be written; the text says why.
    case unwritable(String)
  }

  /// The file's path.
  public var file: String

  /// The line, from 1; `nil` if the problem concerns no line.
  public var line: Int?

  /// What is wrong.
  public var problem: Problem

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - file: The file.
  ///   - problem: What is wrong.
  ///   - line: The line, from 1.
  public init(_ file: URL, _ problem: Problem, line: Int? = nil) {
    self.file = file.path
    self.problem = problem
    self.line = line
  }

  /// The place, the problem, and what to do.
  public var description: String {
    "\(file)\(line.map { ":\($0)" } ?? ""): \(problem.text); \(problem.remedy)"
  }
}

extension TraceFileError.Problem {
  fileprivate var text: String {
    switch self {
    case .missing: "there is no file of traces"
    case .notAFile: "this is no regular file"
    case .unreadable(let reason): "the file cannot be read (\(reason))"
    case .tooLarge(let limit): "the file has more than \(limit >> 20) MB"
    case .notText: "this line is not UTF-8"
    case .mergeConflict: "this line is a mark of a merge that was not resolved"
    case .truncated: "the file ends within this line"
    case .notJSON(let reason): "this line is not what a recording writes (\(reason))"
    case .noHeader: "the file does not begin with the line that describes a recording"
    case .otherFormat(let version): "the file has format \(version); this version reads format 1"
    case .otherSpecification(let name, let expected):
      "the traces are those of \(name), not of \(expected)"
    case .notATrace: "a trace must begin on this line"
    case .notAStep: "this line is no step of a trace"
    case .unknownCommand(let reason): "the specification has no such command (\(reason))"
    case .unknownResponse(let reason): "the specification has no such response (\(reason))"
    case .changed: "the steps of this trace are not those that were recorded"
    case .incomplete(let count, let whole):
      "the recording had \(whole) traces, the file has \(count)"
    case .valueNotRestored(let reason): "nothing was written: \(reason)"
    case .unwritable(let reason): "nothing was written: \(reason)"
    }
  }

  fileprivate var remedy: String {
    switch self {
    case .missing: "run the test that records it with CONTRACT_RECORD=once"
    case .notAFile: "give the path of a file"
    case .otherSpecification:
      "give each specification its own file; if it was renamed, \(Self.deleting)"
    case .unreadable, .unwritable: "check the permissions of the file and of its folder"
    case .otherFormat: "update the package, or \(Self.deleting)"
    case .mergeConflict: "take one side, then run the test that records it with CONTRACT_RECORD=all"
    case .unknownCommand, .unknownResponse:
      "if the specification has changed on purpose, \(Self.deleting)"
    case .valueNotRestored: "correct the Codable conformance of the specification's types"
    case .tooLarge: "\(Self.deleting), in fewer runs or with a coarser coverage"
    case .notText, .truncated, .notJSON, .noHeader, .notATrace, .notAStep, .changed, .incomplete:
      "restore the file from version control, or \(Self.deleting)"
    }
  }

  private static let deleting =
    "delete it and run the test that records it with CONTRACT_RECORD=once"
}
