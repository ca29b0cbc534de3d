/// A span of time as an option or a variable names it: a whole number and a unit, such as `7d`.
package enum TimeSpan {
  /// The valid form, as the rest of a sentence that begins with 'give'.
  package static let expected = "a number and d, h, m or s, such as 7d"

  /// Parses a span such as `7d`, `12h`, `30m` or `90s`.
  ///
  /// - Returns: The span in seconds, or `nil` for any other text.
  package static func seconds(_ text: String) -> Double? {
    let units: [Character: Double] = ["d": 86_400, "h": 3_600, "m": 60, "s": 1]
    guard let unit = text.last.flatMap({ units[$0] }), let number = UInt32(text.dropLast()) else {
      return nil
    }
    return Double(number) * unit
  }
}
