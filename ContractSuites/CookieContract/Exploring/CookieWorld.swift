import ContractExploration
import CookieHistories

/// The hosts, paths, names, values and attributes from which exploration draws its cookies.
///
/// It is small, so that cookies meet. A store that is known to deviate is explored in a world of its
/// own, without what it deviates in.
public struct CookieWorld: Sendable {
  /// The hosts of pages; one must be there.
  public var hosts = ["example.com", "www.example.com", "other.example"]

  /// The paths of pages; one must be there.
  public var paths = ["/", "/docs", "/docs/a"]

  /// The names of cookies; one must be there.
  public var names = ["a", "b", "__Host-a"]

  /// The values of cookies; one must be there.
  public var values = (0...9).map(String.init)

  /// What may follow the pair in a line, each with a probability of one in five.
  public var attributes = [
    "; Path=/", "; Path=/docs", "; Domain=example.com", "; Secure", "; HttpOnly",
    "; Max-Age=2", "; Max-Age=0", "; SameSite=Strict", "; SameSite=None",
  ]

  /// Whether some pages are asked for over http.
  public var hasInsecurePages = true

  /// Whether scripts ask for some pages.
  public var hasScripts = true

  /// Whether commands set the clock forward; several tasks at once can't share a moving clock.
  public var movesClock: Bool

  /// A world of three hosts, three paths and three names.
  ///
  /// - Parameter movesClock: Whether commands set the clock forward.
  public init(movesClock: Bool = true) { self.movesClock = movesClock }

  func page(from choices: inout Choices) -> CookieModel.Page {
    CookieModel.Page(
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
