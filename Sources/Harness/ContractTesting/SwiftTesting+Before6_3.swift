// What Swift Testing 6.3 has and 6.2 lacks. `TransportTesting`, which does not import this module, repeats `filePath`.
//
// With Swift 6.2
// - a case that can't run passes in Swift Testing instead of being cancelled; the matrix and the journal say why it
//   did not run, as with 6.3;
// - a warning is a line on standard error instead of an issue;
// - `Task.sleep` takes real time in an exploration of interleavings (Package.swift); a clock that the
//   program gets from ``VirtualClock`` takes virtual time.

#if compiler(<6.3)
  import Foundation
  package import Testing

  extension Test {
    /// Does nothing: an error would fail the case.
    static func cancel(_ comment: Comment, sourceLocation: SourceLocation) throws {}
  }

  extension Issue {
    /// How serious an issue is.
    package enum Severity { case warning }

    /// Whether the issue fails the test: each issue does that is not known. What says so is not public, and an issue that
    /// can't be told is a failure.
    var isFailure: Bool {
      let context = Mirror(reflecting: self).children.first { $0.label == "knownIssueContext" }
      return context.map { Mirror(reflecting: $0.value).children.isEmpty } ?? true
    }

    /// Prints a warning to standard error.
    package static func record(
      _ comment: Comment, severity: Severity, sourceLocation: SourceLocation = #_sourceLocation
    ) {
      FileHandle.standardError.write(Data("\(sourceLocation): warning: \(comment)\n".utf8))
    }
  }

  extension SourceLocation {
    /// The path of the source file.
    package var filePath: String { _filePath }

    init(__uncheckedFileID fileID: String, filePath: String, line: Int, column: Int) {
      self.init(fileID: fileID, filePath: filePath, line: line, column: column)
    }
  }
#endif
