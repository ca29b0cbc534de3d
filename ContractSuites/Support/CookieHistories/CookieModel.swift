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
  }

  /// The response to a command.
  public enum Response: Hashable, Sendable {
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
    }
    return .done
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
    }
  }
}
