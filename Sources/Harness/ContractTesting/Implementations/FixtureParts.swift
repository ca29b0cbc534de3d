/// The types that a fixture is made of.
enum FixtureParts {
  /// The most types to name.
  private static let limit = 32

  /// Returns the qualified names of the types, sorted, without those of the standard library and of Foundation, and
  /// without the static type, which all implementations of a contract share.
  ///
  /// It looks into structures, enumerations and tuples. It does not look into objects, because another thread may
  /// change them.
  /// - Returns: The names, or `nil` if the fixture has a closure, which may hold anything.
  static func types<Fixture>(of fixture: Fixture) -> [String]? {
    var names: Set<String> = []
    guard add(fixture, to: &names, depth: 0) else { return nil }
    names.remove(String(reflecting: Fixture.self))
    return names.sorted()
  }

  /// - Returns: Whether all parts could be seen.
  private static func add(_ part: Any, to names: inout Set<String>, depth: Int) -> Bool {
    let name = String(reflecting: type(of: part))
    let mirror = Mirror(reflecting: part)
    if mirror.displayStyle == nil, name.contains("->") { return false }
    if !["Swift.", "Foundation", "Dispatch.", "("].contains(where: name.hasPrefix) {
      names.insert(name)
    }
    guard depth < 4, names.count < limit else { return true }
    switch mirror.displayStyle {
    case .struct, .enum, .optional, .tuple:
      return mirror.children.allSatisfy { add($0.value, to: &names, depth: depth + 1) }
    default: return true
    }
  }
}
