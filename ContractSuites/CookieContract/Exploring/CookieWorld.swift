import ContractExploration

/// The hosts, paths, names, values and attributes from which exploration draws its cookies.
///
/// The sets are small, so that commands often affect the same cookie. For a store with known
/// deviations, remove the values that lead to them.
public struct CookieWorld: Sendable {
  /// The hosts of pages; not empty.
  public var hosts = ["example.com", "www.example.com", "other.example"]

  /// The paths of pages; not empty.
  public var paths = ["/", "/docs", "/docs/a"]

  /// The names of cookies; not empty.
  public var names = ["a", "b", "__Host-a"]

  /// The values of cookies; not empty.
  public var values = (0...9).map(String.init)

  /// The attributes of a line, each of which is added with a probability of 0.2.
  public var attributes = [
    "; Path=/", "; Path=/docs", "; Domain=example.com", "; Secure", "; HttpOnly",
    "; Max-Age=2", "; Max-Age=0", "; SameSite=Strict", "; SameSite=None",
  ]

  /// Whether some pages are requested over http.
  public var hasInsecurePages = true

  /// Whether scripts request some pages.
  public var hasScripts = true

  /// Whether commands move the clock, forwards and back; false for concurrent tasks, because they
  /// share the clock.
  public var movesClock: Bool

  /// Whether commands restore cookies.
  public var restores = true

  /// Creates a world of three hosts, three paths and three names.
  ///
  /// - Parameter movesClock: Whether commands move the clock.
  public init(movesClock: Bool = true) { self.movesClock = movesClock }

  func page(from choices: inout Choices) -> CookieSpecification.Page {
    CookieSpecification.Page(
      isSecure: !hasInsecurePages || choices.bool(probability: 0.7),
      host: choices.element(of: hosts) ?? "example.com",
      path: choices.element(of: paths) ?? "/",
      isScript: hasScripts && choices.bool(probability: 0.1))
  }

  func name(from choices: inout Choices) -> String { choices.element(of: names) ?? "a" }

  func line(from choices: inout Choices) -> String {
    var line = name(from: &choices) + "=" + (choices.element(of: values) ?? "1")
    for attribute in attributes where choices.bool(probability: 0.2) { line += attribute }
    return line
  }
}
