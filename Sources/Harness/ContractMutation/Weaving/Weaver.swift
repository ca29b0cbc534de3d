import SwiftSource

/// Weaves mutants into a source file, each behind a switch.
enum Weaver {
  /// The woven text, and where each inserted piece went.
  struct Woven {
    /// The text.
    var text: String
    /// The ranges of the points in the woven text, with their indices.
    var ranges: [(range: Range<Int>, point: Int)]
  }

  /// Weaves the points of one file.
  ///
  /// - Parameters:
  ///   - points: The points, sorted by their beginning and, the longer first, by their end; none
  ///     begins inside another one and ends outside of it.
  ///   - numbers: The number of each mutant by its id. A mutant without one is left out.
  static func weave(
    _ points: [MutationPoint], into source: SourceText, numbers: [String: Int]
  ) -> Woven {
    var text: [UInt8] = []
    var ranges: [(range: Range<Int>, point: Int)] = []
    var position = 0
    var open: [(index: Int, end: Int, start: Int, suffix: String)] = []

    func copy(to offset: Int) {
      text += source.bytes[position..<offset]
      position = offset
    }
    func close(before offset: Int) {
      while let last = open.last, last.end <= offset {
        copy(to: last.end)
        text += last.suffix.utf8
        ranges.append((last.start..<text.count, last.index))
        open.removeLast()
      }
    }
    for (index, point) in points.enumerated() {
      close(before: point.range.lowerBound)
      let own = point.mutants.map { numbers[$0.id] ?? 0 }
      copy(to: point.range.lowerBound)
      let start = text.count
      text += point.prefix(own).utf8
      open.append((index, point.range.upperBound, start, point.suffix(own)))
    }
    close(before: source.bytes.count)
    copy(to: source.bytes.count)
    return Woven(text: String(decoding: text, as: UTF8.self), ranges: ranges)
  }

  /// The points without those that begin inside another point and end outside of it.
  static func withoutCut(_ points: [MutationPoint]) -> [MutationPoint] {
    var kept: [MutationPoint] = []
    var ends: [Int] = []
    for point in points {
      while let end = ends.last, end <= point.range.lowerBound { ends.removeLast() }
      if let end = ends.last, point.range.upperBound > end { continue }
      ends.append(point.range.upperBound)
      kept.append(point)
    }
    return kept
  }
}
