public import ContractExploration
public import CookiePort
public import Foundation
public import ManualClocks

/// The cookie jar as a specification for exploration, which finds behaviour that no clause covers.
///
/// Responses are compared without last-access times, because stores may buffer these.
public struct CookieSpecification: Specification {
  /// A jar and the clock.
  public struct State: Hashable, Sendable {
    /// The cookies.
    public var jar: CookieJar
    /// The seconds since the stores' first time.
    public var time: Int
  }

  /// The hosts, paths, names, values and attributes of commands.
  public var world: CookieWorld

  /// The policy of the stores.
  private let policy: CookiePolicy

  /// The time that the stores' clock shows first.
  private let start: Date

  /// Creates a specification.
  ///
  /// - Parameters:
  ///   - world: The hosts, paths, names, values and attributes of commands.
  ///   - policy: The policy of the stores: see ``CookieStoreFixture/opening(_:)-(CookiePolicy)``.
  ///   - start: The time that the stores' clock shows first.
  public init(
    _ world: CookieWorld = CookieWorld(), policy: CookiePolicy = CookiePolicy(),
    startingAt start: Date = ManualWallClock.start
  ) {
    self.world = world
    self.policy = policy
    self.start = start
  }

  public var initialState: State { State(jar: CookieJar(policy: policy), time: 0) }

  public var kinds: [String] {
    ["store", "cookies", "all", "delete", "clear", "removeExpired", "endSession"]
      + (world.movesClock ? ["wait", "setBack"] : []) + (world.restores ? ["restore"] : [])
  }

  public func command(from choices: inout Choices, in state: State) -> Command {
    let (moves, restores) = (world.movesClock ? 1 : 0, world.restores ? 2 : 0)
    return switch choices.rule(weights: [10, 8, 2, 2, 1, 1, 1, 3 * moves, moves, restores]) {
    case 0: .store(world.line(from: &choices), from: world.page(from: &choices))
    case 1: .cookies(for: world.page(from: &choices))
    case 2: .all
    case 3: .delete(world.name(from: &choices), of: world.page(from: &choices))
    case 4: .clear
    case 5: .removeExpired
    case 6: .endSession
    case 7: .wait(choices.integer(in: 1...4))
    case 8: .setBack(choices.integer(in: 1...4))
    default:
      .restore(
        world.line(from: &choices), from: world.page(from: &choices),
        age: choices.integer(in: -2...4))
    }
  }

  public func apply(_ command: Command, to state: inout State) -> Response {
    response(to: command, in: &state).comparable
  }

  private func response(to command: Command, in state: inout State) -> Response {
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

  public func perform(
    _ command: Command, on subject: CookieStoreFixture
  ) async throws -> Response {
    let store = subject.store
    switch command {
    case .store(let line, let page):
      do throws(CookieStoreError) {
        guard let request = try? page.request() else { return .done }
        return Response(try await store.store(line, from: request)).comparable
      } catch {
        guard case .rejected(let rejection) = error else { throw error }
        return .rejected(rejection)
      }
    case .cookies(let page):
      return .cookies(try await store.cookies(for: page.request())).comparable
    case .all: return .cookies(try await store.all()).comparable
    case .delete(let name, let page):
      return .count(try await store.delete(page.ownCookie(name)) ? 1 : 0)
    case .clear: try await store.clear()
    case .removeExpired: return .count(try await store.removeExpired())
    case .endSession: try await store.endSession()
    case .wait(let seconds): subject.clock.advance(by: TimeInterval(seconds))
    case .setBack(let seconds): subject.clock.advance(by: -TimeInterval(seconds))
    case .restore(let line, let page, let age):
      let date = subject.clock.now - TimeInterval(age)
      guard let cookie = Self.cookie(line, from: page, at: date) else { break }
      do throws(CookieStoreError) {
        try await store.restore([cookie])
      } catch {
        guard case .rejected(let rejection) = error else { throw error }
        return .rejected(rejection)
      }
    }
    return .done
  }

  public func isReadOnly(_ command: Command) -> Bool { command == .all }

  /// Returns the cookie that a line for a page makes in an empty jar, or `nil` if it makes none.
  ///
  /// - Parameters:
  ///   - line: A `Set-Cookie` line.
  ///   - page: The page.
  ///   - date: When the cookie is made.
  static func cookie(_ line: String, from page: Page, at date: Date) -> Cookie? {
    var jar = CookieJar()
    guard let request = try? page.request(),
      case .stored(let cookie, _)? = try? jar.store(line, from: request, now: date)
    else { return nil }
    return cookie
  }
}

extension Specification where Self == CookieSpecification {
  /// The cookie jar with commands that move the clock, for lock-step exploration.
  public static var cookies: CookieSpecification { CookieSpecification() }

  /// The cookie jar at one instant, for exploration with concurrent tasks.
  public static var cookiesAtOnce: CookieSpecification {
    CookieSpecification(CookieWorld(movesClock: false))
  }
}
