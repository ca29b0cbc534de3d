public import CookiePort
import Foundation
public import RecordedHistories

/// The cookie jar as a sequential model: calls on a store and their responses.
///
/// It depends on no store and no test library, so that the command-line tool can use it.
/// `CookieContract` adds the generation of commands and their execution on a store.
public struct CookieModel: SequentialModel {
  /// A jar and the clock.
  public struct State: Hashable, Sendable {
    /// The cookies.
    public var jar: CookieJar
    /// The seconds since ``CookieModel/start``.
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
    /// Deletes a host-only cookie of a page's host and path by its name.
    case delete(String, of: Page)
    /// Deletes every cookie.
    case clear
    /// Deletes the expired cookies.
    case removeExpired
    /// Deletes the session cookies.
    case endSession
    /// Advances the clock by a number of seconds.
    case wait(Int)
    /// Sets the clock back by a number of seconds.
    case setBack(Int)
    /// Restores the cookie that a line for a page made a number of seconds ago; nothing if the line
    /// makes none.
    case restore(String, from: Page, age: Int)
  }

  /// The response to a command.
  public enum Response: Hashable, Sendable, Codable {
    /// No result.
    case done
    /// Cookies, in order.
    case cookies([Cookie])
    /// The cookies that a line stored and removed, if any.
    case change(stored: Cookie?, removed: Cookie?)
    /// The rejection of a line.
    case rejected(CookieRejection)
    /// The number of cookies removed.
    case count(Int)
  }

  /// The time that the clock shows first.
  public let start: Date

  public var initialState: State { State(jar: CookieJar(), time: 0) }

  /// Creates a model of an empty jar with the default policy.
  ///
  /// - Parameter start: The time that the clock shows first; 2030-03-17 17:46:40 UTC by default.
  public init(start: Date = Date(timeIntervalSince1970: 1_900_000_000)) { self.start = start }

  public func apply(_ command: Command, to state: inout State) -> Response {
    let now = start.addingTimeInterval(TimeInterval(state.time))
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
      return .cookies(state.jar.cookies(for: request, now: now))
    case .all: return .cookies(state.jar.all(now: now))
    case .delete(let name, let page):
      return .count(state.jar.delete(page.ownCookie(name), now: now) ? 1 : 0)
    case .clear: state.jar.clear()
    case .removeExpired: return .count(state.jar.removeExpired(now: now))
    case .endSession: state.jar.endSession()
    case .wait(let seconds):
      let (sum, isTooMuch) = state.time.addingReportingOverflow(seconds)
      if !isTooMuch { state.time = sum }
    case .setBack(let seconds):
      let (difference, isTooMuch) = state.time.subtractingReportingOverflow(seconds)
      if !isTooMuch { state.time = difference }
    case .restore(let line, let page, let age):
      guard let cookie = Self.cookie(line, from: page, at: now - TimeInterval(age)) else { break }
      do throws(CookieRejection) {
        try state.jar.restore([cookie], now: now)
      } catch {
        return .rejected(error)
      }
    }
    return .done
  }

  /// Returns the cookie that a line for a page makes in an empty jar, or `nil` if it makes none.
  ///
  /// - Parameters:
  ///   - line: A `Set-Cookie` line.
  ///   - page: The page.
  ///   - date: When the cookie is made.
  public static func cookie(_ line: String, from page: Page, at date: Date) -> Cookie? {
    var jar = CookieJar()
    guard let request = try? page.request(),
      case .stored(let cookie, _)? = try? jar.store(line, from: request, now: date)
    else { return nil }
    return cookie
  }

  public func isReadOnly(_ command: Command) -> Bool { command == .all }
}

extension CookieModel.Response {
  /// Creates the response to storing a line.
  ///
  /// - Parameter change: The change that the store returned.
  public init(_ change: CookieChange?) {
    self =
      switch change {
      case .stored(let cookie, let old): .change(stored: cookie, removed: old)
      case .removed(let cookie, _): .change(stored: nil, removed: cookie)
      case nil: .change(stored: nil, removed: nil)
      }
  }
}

extension CookieModel.Response: CustomStringConvertible {
  /// The response with every field of its cookies; scalars outside ASCII are escaped.
  public var description: String {
    switch self {
    case .done: "done"
    case .cookies(let cookies): "[\(cookies.map(\.summary).joined(separator: ", "))]"
    case .change(let stored?, nil): "stored \(stored.summary)"
    case .change(let stored?, let old?): "stored \(stored.summary) in place of \(old.summary)"
    case .change(nil, let removed?): "removed \(removed.summary)"
    case .change(nil, nil): "nothing stored or removed"
    case .rejected(let reason): "rejected as \(reason.rawValue)"
    case .count(let count): "\(count)"
    }
  }
}

extension Cookie {
  /// The cookie with all its fields, an attribute only if it is set.
  fileprivate var summary: String {
    var text = "'\(serialized)' of \(isHostOnly ? "" : ".")\(domain)\(path)"
    if isSecure { text += " Secure" }
    if isHTTPOnly { text += " HttpOnly" }
    if sameSite != .unspecified { text += " SameSite=\(sameSite.rawValue)" }
    if let expires { text += " until \(expires.timeIntervalSince1970)" }
    text += " created \(creation.timeIntervalSince1970)"
    return text.unicodeScalars.map { $0.isASCII ? "\($0)" : $0.escaped(asASCII: true) }.joined()
  }
}

extension CookieModel.Command {
  /// Whether both commands are equal, strings byte by byte.
  public static func == (one: Self, other: Self) -> Bool {
    switch (one, other) {
    case (.store(let line, let page), .store(let otherLine, let otherPage)):
      line.hasSameBytes(as: otherLine) && page == otherPage
    case (.delete(let name, let page), .delete(let otherName, let otherPage)):
      name.hasSameBytes(as: otherName) && page == otherPage
    case (.cookies(let page), .cookies(let otherPage)): page == otherPage
    case (.wait(let seconds), .wait(let otherSeconds)): seconds == otherSeconds
    case (.setBack(let seconds), .setBack(let otherSeconds)): seconds == otherSeconds
    case (
      .restore(let line, let page, let age), .restore(let otherLine, let otherPage, let otherAge)
    ):
      line.hasSameBytes(as: otherLine) && page == otherPage && age == otherAge
    case (.all, .all), (.clear, .clear), (.removeExpired, .removeExpired),
      (.endSession, .endSession):
      true
    default: false
    }
  }
}

extension CookieModel.Command: CustomStringConvertible {
  /// The command in Swift syntax, without the leading dot.
  public var description: String {
    switch self {
    case .store(let line, let page): "store(\(line.debugDescription), from: \"\(page)\")"
    case .cookies(let page): "cookies(for: \"\(page)\")"
    case .all: "all"
    case .delete(let name, let page): "delete(\(name.debugDescription), of: \"\(page)\")"
    case .clear: "clear"
    case .removeExpired: "removeExpired"
    case .endSession: "endSession"
    case .wait(let seconds): "wait(\(seconds))"
    case .setBack(let seconds): "setBack(\(seconds))"
    case .restore(let line, let page, let age):
      "restore(\(line.debugDescription), from: \"\(page)\", age: \(age))"
    }
  }
}
