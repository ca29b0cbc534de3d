import Foundation
public import Testing
public import TransportRecording

/// Fails a test if committed recordings hold secrets.
///
/// `.auditsRecordings(in:redacting:)` makes one.
public struct AuditTrait: TestTrait, SuiteTrait, TestScoping {
  let path: String
  let redaction: Redaction

  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    for finding in findings(for: test) {
      Issue.record(AuditError(description: finding), sourceLocation: test.sourceLocation)
    }
    try await function()
  }

  /// One line for each finding, and for each file that can't be read.
  private func findings(for test: Test) -> [String] {
    let source = URL(fileURLWithPath: test.sourceLocation.filePath)
    let root = URL(fileURLWithPath: path, relativeTo: source.deletingLastPathComponent()).path
    let inside = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
    let files =
      root.hasSuffix(".har")
      ? [root] : inside.filter { $0.hasSuffix(".har") }.sorted().map { "\(root)/\($0)" }
    guard !files.isEmpty else {
      return ["there is no recording in \(root); name a file or a folder"]
    }
    return files.flatMap { file -> [String] in
      do throws(HTTPArchiveError) {
        return try HTTPArchive.audit(contentsOf: file, redacting: redaction).map {
          "\(file): \($0)"
        }
      } catch {
        return ["\(file): \(error)"]
      }
    }
  }
}

/// A secret in a recording; the text has its place and rule, and not the secret.
struct AuditError: Error, CustomStringConvertible {
  let description: String
}

extension Trait where Self == AuditTrait {
  /// Fails the test, or the suite, once for each secret in a recording.
  ///
  /// ```swift
  /// @Suite(.auditsRecordings(in: "Recordings")) struct SignInTests { … }
  /// ```
  /// - Parameters:
  ///   - path: A file, or a folder whose files `*.har` are all read; relative to the test's source.
  ///   - redaction: Further names, and what is not secret. The names that a recording was made with count
  ///     too.
  public static func auditsRecordings(
    in path: String, redacting redaction: Redaction = Redaction()
  ) -> Self {
    AuditTrait(path: path, redaction: redaction)
  }
}
