import Foundation

/// How often each place of the sources was executed, from the file that `swift test
/// --enable-code-coverage` leaves (`llvm-cov export`).
struct ExecutionCounts {
  /// Where counts change, by file. A segment's count holds up to the next segment.
  private var segments: [String: [Segment]] = [:]

  private struct Segment {
    var line: Int
    var column: Int
    var count: Int
    var isKnown: Bool
  }

  /// Reads a file.
  ///
  /// - Throws: ``ScaffoldError`` if it can't be read or is no export of coverage.
  init(contentsOf path: String) throws(ScaffoldError) {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw ScaffoldError(
        .source,
        "\(path) can't be read; run 'swift test --enable-code-coverage' first, and give the file "
          + "that 'swift test --show-codecov-path' names")
    }
    guard let root = try? JSONSerialization.jsonObject(with: data) as? [String: Any],
      root["type"] as? String == "llvm.coverage.json.export",
      let exports = root["data"] as? [[String: Any]]
    else {
      throw ScaffoldError(.source, "\(path) is not coverage in the JSON of 'llvm-cov export'")
    }
    for export in exports {
      for file in export["files"] as? [[String: Any]] ?? [] {
        guard let name = file["filename"] as? String, let rows = file["segments"] as? [[Any]] else {
          continue
        }
        segments[name] = rows.compactMap(Self.segment)
      }
    }
  }

  private static func segment(_ row: [Any]) -> Segment? {
    guard row.count >= 4, let line = row[0] as? Int, let column = row[1] as? Int,
      let isKnown = row[3] as? Bool
    else { return nil }
    // Counts above the range of Int are written as negative or floating-point numbers.
    let count = row[2] as? Int ?? Int.max
    return Segment(line: line, column: column, count: count, isKnown: isKnown)
  }

  /// Whether the run compiled the file.
  func knows(_ file: String) -> Bool { segments[file] != nil }

  /// How often a place was executed, or `nil` if that is not known.
  ///
  /// - Parameters:
  ///   - line: The line, from 1.
  ///   - column: The column in bytes, from 1.
  func count(in file: String, line: Int, column: Int) -> Int? {
    let last = segments[file]?.last { ($0.line, $0.column) <= (line, column) }
    return last.flatMap { $0.isKnown ? $0.count : nil }
  }
}
