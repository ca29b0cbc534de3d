/// A text with `{}` for a secret, as ``Redaction/paths`` and ``Redaction/texts`` have it.
struct SecretTemplate {
  /// What surrounds the secrets; one more than there are secrets.
  private let literals: [[UInt8]]
  /// The literals of a path between its slashes.
  private let segments: [[[UInt8]]]

  init(_ text: String) {
    func literals(_ text: some StringProtocol) -> [[UInt8]] {
      String(text).split(separator: "{}", omittingEmptySubsequences: false).map { Array($0.utf8) }
    }
    self.literals = literals(text)
    segments = text.split(separator: "/").map { literals($0) }
  }

  /// The ranges of the secrets in a text.
  func ranges(in bytes: [UInt8]) -> [Range<Int>] {
    guard literals.count > 1, !literals[0].isEmpty else { return [] }
    var ranges: [Range<Int>] = []
    var start = 0
    while let first = bytes[start...].firstRange(of: literals[0]) {
      start = first.upperBound
      guard let found = Self.holes(literals, in: bytes[...], from: start) else { continue }
      ranges += found
      start = found.last?.upperBound ?? start
    }
    return ranges
  }

  /// The ranges of the secrets in each segment of a path; `nil` if the path is another one.
  func ranges(inSegments path: [ArraySlice<UInt8>]) -> [[Range<Int>]]? {
    guard !segments.isEmpty, path.count >= segments.count else { return nil }
    var all: [[Range<Int>]] = []
    for (literals, segment) in zip(segments, path) {
      if literals == [[0x2A]] {
        all.append([])
        continue
      }
      guard segment.starts(with: literals[0]) else { return nil }
      let start = segment.startIndex + literals[0].count
      guard let found = Self.holes(literals, in: segment, from: start),
        (found.last?.upperBound ?? start)
          + (literals.count > 1 ? literals[literals.count - 1].count : 0)
          == segment.endIndex
      else { return nil }
      all.append(found)
    }
    return all
  }

  /// The ranges between the literals after the first one.
  private static func holes(
    _ literals: [[UInt8]], in bytes: ArraySlice<UInt8>, from start: Int
  ) -> [Range<Int>]? {
    var ranges: [Range<Int>] = []
    var start = start
    for literal in literals.dropFirst() {
      var end = start
      while end < bytes.endIndex, bytes[end].isVisible,
        literal.isEmpty || !bytes[end...].starts(with: literal)
      {
        end += 1
      }
      guard end > start, bytes[end...].starts(with: literal) else { return nil }
      ranges.append(start..<end)
      start = end + literal.count
    }
    return ranges
  }
}
