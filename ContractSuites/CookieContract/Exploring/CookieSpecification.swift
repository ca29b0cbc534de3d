public import ContractExploration
public import CookiePort
import Foundation

/// The cookie jar as a specification: it finds what no clause names.
///
/// Commands are drawn from a small world, two hosts, three paths, two names, so that they meet. What
/// stores may keep to themselves, a cookie's last access, is not compared.
public struct CookieSpecification: Specification {
  /// Whether commands set the clock forward; several tasks at once can't share a moving clock.
  public var movesClock: Bool

  /// A specification.
  ///
  /// - Parameter movesClock: Whether commands set the clock forward.
  public init(movesClock: Bool = true) { self.movesClock = movesClock }

  /// A jar and the time, in seconds after the clock's start.
  public struct State: Hashable, Sendable {
    /// The cookies.
    public var jar: CookieJar
    /// The seconds since the start.
    public var time: Int
  }

  /// One call on the store, or on its clock.
  public enum Command: Hashable, Sendable, Codable {
    /// A `Set-Cookie` line for a page.
    case store(String, from: Page)
    /// The cookies for a page.
    case cookies(for: Page)
    /// Every cookie.
    case all
    /// Deletes a host's own cookie by its name and path.
    case delete(String, of: Page)
    /// Deletes every cookie.
    case clear
    /// Deletes the cookies whose expiry has come.
    case removeExpired
    /// Deletes the session cookies.
    case endSession
    /// Sets the clock forward by seconds.
    case wait(Int)
  }

  /// A page of the small world, written as its URL, with `script:` before it where a script asks.
  public struct Page: Hashable, Sendable, Codable, CustomStringConvertible,
    ExpressibleByStringLiteral
  {
    /// Whether it is asked for over https.
    public var isSecure: Bool
    /// The host.
    public var host: String
    /// The path.
    public var path: String
    /// Whether a script asks.
    public var isScript: Bool

    public var description: String {
      "\(isScript ? "script:" : "")\(isSecure ? "https" : "http")://\(host)\(path)"
    }

    public init(stringLiteral url: String) {
      var rest = url[...]
      isScript = rest.hasPrefix("script:")
      if isScript { rest = rest.dropFirst("script:".count) }
      isSecure = rest.hasPrefix("https")
      let parts = rest.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
      let place = parts.count > 2 ? parts[2] : ""
      host = String(place.prefix { $0 != "/" })
      path = String(place.dropFirst(host.count))
    }

    /// A page by its parts.
    public init(isSecure: Bool, host: String, path: String, isScript: Bool) {
      self.isSecure = isSecure
      self.host = host
      self.path = path
      self.isScript = isScript
    }

    /// The page as the port names it.
    func request() throws(CookieRequestError) -> CookieRequest {
      try CookieRequest(
        isSecure: isSecure, host: host, path: path, access: isScript ? .script : .http)
    }
  }

  /// What a call gives back.
  public enum Response: Hashable, Sendable {
    /// Nothing to tell.
    case done
    /// Cookies, in order, without their last access.
    case cookies([Cookie])
    /// What a line changed, or nothing.
    case change(stored: Cookie?, removed: Cookie?)
    /// A line was refused.
    case rejected(CookieRejection)
    /// How many went, or whether one did.
    case count(Int)
  }

  public var initialState: State { State(jar: CookieJar(), time: 0) }

  public var kinds: [String] {
    ["store", "cookies", "all", "delete", "clear", "removeExpired", "endSession"]
      + (movesClock ? ["wait"] : [])
  }

  public func command(from choices: inout Choices, in state: State) -> Command {
    switch choices.rule(weights: [10, 8, 2, 2, 1, 1, 1, movesClock ? 3 : 0]) {
    case 0: .store(line(from: &choices), from: page(from: &choices))
    case 1: .cookies(for: page(from: &choices))
    case 2: .all
    case 3: .delete(name(from: &choices), of: page(from: &choices))
    case 4: .clear
    case 5: .removeExpired
    case 6: .endSession
    default: .wait(choices.integer(in: 1...4))
    }
  }

  private func page(from choices: inout Choices) -> Page {
    Page(
      isSecure: choices.bool(probability: 0.7),
      host: choices.element(of: ["example.com", "www.example.com", "other.example"]) ?? "",
      path: choices.element(of: ["/", "/docs", "/docs/a"]) ?? "/",
      isScript: choices.bool(probability: 0.1))
  }

  private func name(from choices: inout Choices) -> String {
    choices.element(of: ["a", "b", "__Host-a"]) ?? "a"
  }

  private func line(from choices: inout Choices) -> String {
    var line = name(from: &choices) + "=\(choices.integer(in: 0...9))"
    let attributes = [
      "; Path=/", "; Path=/docs", "; Domain=example.com", "; Secure", "; HttpOnly",
      "; Max-Age=2", "; Max-Age=0", "; SameSite=Strict", "; SameSite=None",
    ]
    for attribute in attributes where choices.bool(probability: 0.2) { line += attribute }
    return line
  }

  public func apply(_ command: Command, to state: inout State) -> Response {
    let now = CookieClock.start.addingTimeInterval(TimeInterval(state.time))
    switch command {
    case .store(let line, let page):
      guard let request = try? page.request() else { return .done }
      do throws(CookieRejection) {
        return Response(try state.jar.store(line, from: request, now: now))
      } catch {
        return .rejected(error)
      }
    case .cookies(let page):
      guard let request = try? page.request() else { return .done }
      return Response(state.jar.cookies(for: request, now: now))
    case .all: return Response(state.jar.all(now: now))
    case .delete(let name, let page):
      return .count(state.jar.delete(page.ownCookie(name), now: now) ? 1 : 0)
    case .clear: state.jar.clear()
    case .removeExpired: return .count(state.jar.removeExpired(now: now))
    case .endSession: state.jar.endSession()
    case .wait(let seconds): state.time += seconds
    }
    return .done
  }

  public func perform(
    _ command: Command, on subject: CookieStoreFixture
  ) async throws -> Response {
    let store = subject.store
    switch command {
    case .store(let line, let page):
      do throws(CookieStoreError) {
        guard let request = try? page.request() else { return .done }
        return Response(try await store.store(line, from: request))
      } catch {
        guard case .rejected(let rejection) = error else { throw error }
        return .rejected(rejection)
      }
    case .cookies(let page): return Response(try await store.cookies(for: page.request()))
    case .all: return Response(try await store.all())
    case .delete(let name, let page):
      return .count(try await store.delete(page.ownCookie(name)) ? 1 : 0)
    case .clear: try await store.clear()
    case .removeExpired: return .count(try await store.removeExpired())
    case .endSession: try await store.endSession()
    case .wait(let seconds): subject.clock.advance(by: TimeInterval(seconds))
    }
    return .done
  }

  public func isReadOnly(_ command: Command) -> Bool { command == .all }
}

extension Specification where Self == CookieSpecification {
  /// The cookie jar, with a clock that moves: for lock-step.
  public static var cookies: CookieSpecification { CookieSpecification() }

  /// The cookie jar at one instant: for several tasks at once.
  public static var cookiesAtOnce: CookieSpecification { CookieSpecification(movesClock: false) }
}

extension CookieSpecification.Page {
  /// The identity of a cookie of the page's host alone, with the page's path.
  func ownCookie(_ name: String) -> Cookie.ID {
    Cookie.ID(name: name, domain: host, isHostOnly: true, path: path)
  }
}

extension CookieSpecification.Command: CustomStringConvertible {
  /// The command as it is written in Swift, without the dot.
  public var description: String {
    switch self {
    case .store(let line, let page): "store(\"\(line)\", from: \"\(page)\")"
    case .cookies(let page): "cookies(for: \"\(page)\")"
    case .all: "all"
    case .delete(let name, let page): "delete(\"\(name)\", of: \"\(page)\")"
    case .clear: "clear"
    case .removeExpired: "removeExpired"
    case .endSession: "endSession"
    case .wait(let seconds): "wait(\(seconds))"
    }
  }
}

extension CookieSpecification.Response {
  /// Cookies as they are compared.
  init(_ cookies: [Cookie]) { self = .cookies(cookies.map(Self.comparable)) }

  /// A line's change as it is compared.
  init(_ change: CookieChange?) {
    self =
      switch change {
      case .stored(let cookie, let old):
        .change(stored: Self.comparable(cookie), removed: old.map(Self.comparable))
      case .removed(let cookie, _): .change(stored: nil, removed: Self.comparable(cookie))
      case nil: .change(stored: nil, removed: nil)
      }
  }

  private static func comparable(_ cookie: Cookie) -> Cookie {
    var cookie = cookie
    cookie.lastAccess = cookie.creation
    return cookie
  }
}
