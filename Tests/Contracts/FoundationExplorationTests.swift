import ContractExploration
import ContractTesting
import CookieContract
import CookiePort
import Foundation
import Testing

/// Explores Foundation's store outside its declared deviations, so every finding is new.
///
/// For a finding, add a clause to the contract and a deviation to the implementation, and exclude
/// the commands from ``FoundationCookies``. To explore for 10 minutes, run
/// `CONTRACT_EXPLORE_SECONDS=600 swift test --filter FoundationExploration`.
@Suite struct FoundationExplorationTests {
  @Test func lockStep() async throws {
    try await explore(FoundationCookies(), on: .foundation)
  }
}

/// The part of the cookie jar's behaviour that `HTTPCookieStorage` is known to share.
///
/// Known deviations (order, creation, rejections, most paths) are excluded: such commands aren't
/// generated, or the fields aren't compared.
struct FoundationCookies: Specification {
  typealias State = CookieSpecification.State
  typealias Command = CookieSpecification.Command

  /// The compared part of a response, as text.
  typealias Response = String

  private let base: CookieSpecification

  init() {
    // Whole seconds, like Expires.
    let now = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down))
    var world = CookieWorld(movesClock: false)
    world.paths = ["/"]
    world.names = ["a", "b", "$a", "a b", "a:b", "%61", "Path", "日本"]
    world.values = ["0", "1", "", "\"x\"", "x y", "a=b", "%20", "+", "{}", "日本"]
    world.attributes = [
      "; Path=/", "; path", "; Domain=example.com", "; DOMAIN=.example.com",
      "; Domain=www.example.com", "; Secure", "; secure", "; HttpOnly",
      "; Expires=\(httpDate(now + 36_000))", "; expires=\(httpDate(now - 36_000))", "; Version=0",
      "; Version=1", "; Discard", "; Comment=c", "; CommentURL=:", "; Port", "; Port=\"80\"",
      "; Priority=High", "; ", ";",
    ]
    world.hasInsecurePages = false
    world.hasScripts = false
    world.restores = false
    base = CookieSpecification(world, startingAt: now)
  }

  var initialState: State { base.initialState }
  var kinds: [String] { base.kinds }

  func command(from choices: inout Choices, in state: State) -> Command {
    base.command(from: &choices, in: state)
  }

  func apply(_ command: Command, to state: inout State) -> String {
    text(of: base.apply(command, to: &state))
  }

  func perform(_ command: Command, on subject: CookieStoreFixture) async throws -> String {
    text(of: try await base.perform(command, on: subject))
  }

  func isReadOnly(_ command: Command) -> Bool { base.isReadOnly(command) }

  private func text(of response: CookieSpecification.Response) -> String {
    switch response {
    case .cookies(let cookies): "\(cookies.map(text).sorted())"
    // Foundation drops a cookie for another domain, and the store then returns the existing cookie.
    case .change, .rejected: "changed"
    case .count(let count): "\(count)"
    case .done: "done"
    }
  }

  private func text(of cookie: Cookie) -> String {
    var text =
      "\(cookie.serialized) of \(cookie.isHostOnly ? "" : ".")\(cookie.domain)\(cookie.path)"
    if cookie.isSecure { text += " Secure" }
    if cookie.isHTTPOnly { text += " HttpOnly" }
    return text + (cookie.expires.map { " until \($0.timeIntervalSince1970)" } ?? "")
  }
}
