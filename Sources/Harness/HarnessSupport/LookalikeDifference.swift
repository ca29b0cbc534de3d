import Foundation

/// What distinguishes two values that print alike, such as "é" composed and decomposed, or two
/// dates that differ by less than their description shows.
package enum LookalikeDifference {
  /// Returns a description of the first difference, or `nil` if the values print differently.
  package static func text(_ expected: Any, _ actual: Any) -> String? {
    "\(expected)" == "\(actual)" ? between(expected, actual) : nil
  }

  /// Returns a description of the first difference of two values that are not equal.
  package static func between(_ expected: Any, _ actual: Any) -> String {
    difference(expected, actual, at: "", depth: 8) ?? "they print alike but are not equal"
  }

  private static func difference(
    _ expected: Any, _ actual: Any, at path: String, depth: Int
  ) -> String? {
    let place = path.isEmpty ? "" : " in \(path)"
    switch (expected, actual) {
    case (let one as String, let other as String):
      guard !one.unicodeScalars.elementsEqual(other.unicodeScalars) else { return nil }
      return "expected \(scalars(one)), got \(scalars(other))\(place)"
    case (let one as Date, let other as Date):
      guard one != other else { return nil }
      return "expected \(one.timeIntervalSinceReferenceDate) s, "
        + "got \(other.timeIntervalSinceReferenceDate) s since 2001\(place)"
    case (let one as Data, let other as Data):
      guard one != other else { return nil }
      return "expected bytes \(Array(one.prefix(64))), got \(Array(other.prefix(64)))\(place)"
    default: break
    }
    let (one, other) = (Mirror(reflecting: expected), Mirror(reflecting: actual))
    if depth > 0, !one.children.isEmpty, one.children.count == other.children.count {
      for (index, pair) in zip(one.children, other.children).enumerated() {
        let name = pair.0.label ?? "[\(index)]"
        let inner = path.isEmpty ? name : name.hasPrefix("[") ? path + name : "\(path).\(name)"
        if let found = difference(pair.0.value, pair.1.value, at: inner, depth: depth - 1) {
          return found
        }
      }
      return nil
    }
    let (mine, its) = (String(reflecting: expected), String(reflecting: actual))
    if mine != its { return "expected \(mine), got \(its)\(place)" }
    let types = (type(of: expected), type(of: actual))
    return types.0 == types.1 ? nil : "expected \(types.0), got \(types.1)\(place)"
  }

  /// A string with its scalars outside ASCII escaped.
  private static func scalars(_ text: String) -> String {
    "\"" + text.unicodeScalars.map { $0.escaped(asASCII: true) }.joined() + "\""
  }
}
