import Foundation
import SwiftSource

/// A mutant as a change of source lines.
struct MutationExcerpt {
  /// The lines of the source.
  var before: [String]
  /// The same lines with the mutant.
  var after: [String]

  /// Creates the excerpt of a mutant.
  ///
  /// - Parameter source: The file's text.
  /// - Returns: `nil` if the text is not where the mutant says, because the file has changed.
  init?(of mutant: Mutant, in source: SourceText) {
    guard let start = source.offset(line: mutant.start.line, column: mutant.start.column),
      let end = source.offset(line: mutant.end.line, column: mutant.end.column),
      start <= end, end <= source.bytes.count, source[start..<end] == mutant.original
    else { return nil }
    let lines = source.lines
    let first = mutant.start.line - 1
    let last = mutant.end.line - 1
    before = Array(lines[first...last])
    let head = source.offset(line: mutant.start.line, column: 1) ?? start
    let tail =
      last + 1 < lines.count
      ? (source.offset(line: last + 2, column: 1) ?? end) - 1 : source.bytes.count
    let text = source[head..<start] + mutant.replacement + source[end..<max(end, tail)]
    after = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// The change as a diff. At most 12 lines of each side are shown.
  var lines: [String] {
    func side(_ lines: [String], _ mark: String) -> [String] {
      let shown = lines.filter { !$0.allSatisfy(\.isWhitespace) }
      return shown.prefix(12).map { "\(mark) \($0)" }
        + (shown.count > 12 ? ["\(mark) … \(shown.count - 12) more lines"] : [])
    }
    return side(before, "-") + side(after, "+")
  }
}

/// The files of a package, read once each.
final class SourceFiles {
  private let root: String
  private var sources: [String: SourceText] = [:]

  init(root: String) { self.root = root }

  /// The text of a file, or `nil` if it can't be read.
  func source(_ file: String) -> SourceText? {
    if let source = sources[file] { return source }
    guard let text = try? String(contentsOfFile: "\(root)/\(file)", encoding: .utf8) else {
      return nil
    }
    let source = SourceText(text)
    sources[file] = source
    return source
  }
}
