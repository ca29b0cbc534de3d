public import ContractEvidence

/// A matrix as an SVG badge: `contracts | 1498 cases hold`, or the number of failures.
public struct Badge: Sendable {
  /// The matrix.
  public var matrix: Matrix

  /// Creates a badge.
  public init(_ matrix: Matrix) { self.matrix = matrix }

  /// The text on the right.
  public var message: String {
    let summary = matrix.summary
    let failed = matrix.results.count(where: \.outcome.isFailure)
    if failed > 0 { return "\(failed) of \(summary.cases) fail" }
    if matrix.isFailure { return "not shown" }
    let count = matrix.results.count(where: \.outcome.holds)
    let deviating = summary.outcomes["deviates"] ?? 0
    return count == 0
      ? "no results" : "\(count) hold" + (deviating > 0 ? ", \(deviating) deviate" : "")
  }

  /// The badge, newline-terminated.
  public var text: String {
    let colour = matrix.isFailure ? "#b3261e" : message == "no results" ? "#6b7280" : "#12733a"
    let left = Self.width("contracts")
    let right = Self.width(message)
    return """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(left + right)" height="20" role="img" \
      aria-label="contracts: \(message)">
      <title>contracts: \(message)</title>
      <rect width="\(left + right)" height="20" rx="3" fill="#3b4048"/>
      <path d="M\(left) 0h\(right - 3)a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3H\(left)z" fill="\(colour)"/>
      <g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle">
      <text x="\(left / 2)" y="14">contracts</text>
      <text x="\(left + right / 2)" y="14">\(message)</text>
      </g>
      </svg>

      """
  }

  /// The width of a text in pixels, with a margin. Most characters of the font are 7 wide or less.
  private static func width(_ text: String) -> Int { 7 * text.count + 12 }
}
