import ContractExploration
import ContractTesting
import CookieContract
import CookiePort
import Foundation
import Testing

/// Foundation's store, explored where no deviation is declared: what is found here is new.
///
/// A finding becomes a clause of the contract and a deviation of the implementation, and what it is
/// about goes from the ``FoundationCookies``. Explore for long with
/// `CONTRACT_EXPLORE_SECONDS=600 swift test --filter FoundationExploration`.
@Suite struct FoundationExplorationTests {
  @Test func lockStep() async throws {
    try await explore(FoundationCookies(), on: .foundation)
  }
}

/// The cookie jar as far as `HTTPCookieStorage` is known to follow it.
///
/// Where it is known to deviate, in order, dates of creation, refusals and most of what lies in a
/// path, nothing is drawn or nothing is compared.
struct FoundationCookies: Specification {
  typealias State = CookieSpecification.State
  typealias Command = CookieSpecification.Command

  /// What a call gives back, in words, as far as it is compared.
  typealias Response = String

  private let base: CookieSpecification

  init() {
    // In whole seconds, as Expires is.
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
    // A cookie for another domain is dropped, and the one that it would replace is answered.
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
