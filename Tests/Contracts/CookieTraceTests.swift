import ContractExploration
import ContractTesting
import CookieContract
import CookiePort
import Foundation
import Testing

/// What SQLite and Foundation answered is kept as traces, with which the fake is compared.
@Suite struct CookieTraceTests {
  private static let sqlite = "Traces/cookies-sqlite.jsonl"
  private static let foundation = "Traces/cookies-foundation.jsonl"

  @Test func `SQLite answers as recorded`() async throws {
    try await explore(.cookies, on: .sqlite, recordingTo: Self.sqlite)
  }

  @Test func `the fake answers as SQLite did`() async throws {
    try await verifyTraces(.cookies, in: Self.sqlite, on: .inMemory)
  }

  @Test(.enabled(if: Platform.current == .linux, "the traces are of swift-corelibs-foundation"))
  func `Foundation answers as recorded`() async throws {
    try await explore(
      ComparableCookies(), on: .foundation, recordingTo: Self.foundation,
      deviating: TraceDeviation<ComparableCookies>.ofFoundation)
  }

  @Test func `the fake answers as Foundation did, except where Foundation deviates`() async throws {
    try await verifyTraces(
      ComparableCookies(), in: Self.foundation, on: .inMemory,
      deviating: TraceDeviation<ComparableCookies>.ofFoundation)
  }
}

/// The cookie jar's behaviour without what varies between two runs on Foundation: dates, which its
/// storage takes from the system's clock, and the order of cookies, which is that of a dictionary.
struct ComparableCookies: Specification {
  typealias State = CookieSpecification.State
  typealias Command = CookieSpecification.Command

  enum Response: Hashable, Sendable, Codable {
    case done
    case cookies([String])
    case stored(String)
    case removed(String)
    case unchanged
    case rejected(CookieRejection)
    case count(Int)
  }

  private let base: CookieSpecification

  init() {
    var world = CookieWorld(movesClock: false)
    world.values = ["0", "1", ""]
    world.attributes = [
      "; Path=/", "; Path=/docs", "; Domain=example.com", "; Secure", "; HttpOnly", "; Max-Age=0",
    ]
    world.hasScripts = false
    world.restores = false
    base = CookieSpecification(world)
  }

  var initialState: State { base.initialState }
  var kinds: [String] { base.kinds }

  func command(from choices: inout Choices, in state: State) -> Command {
    base.command(from: &choices, in: state)
  }

  func apply(_ command: Command, to state: inout State) -> Response {
    Response(base.apply(command, to: &state))
  }

  func perform(_ command: Command, on subject: CookieStoreFixture) async throws -> Response {
    Response(try await base.perform(command, on: subject))
  }

  func isReadOnly(_ command: Command) -> Bool { base.isReadOnly(command) }

  func coverage(of command: Command, in state: State, returning response: Response) -> [String] {
    var after = state
    return base.coverage(of: command, in: state, returning: base.apply(command, to: &after))
  }
}

extension ComparableCookies.Response {
  fileprivate init(_ response: CookieSpecification.Response) {
    func text(_ cookie: Cookie) -> String {
      "\(cookie.serialized) of \(cookie.isHostOnly ? "" : ".")\(cookie.domain)\(cookie.path)"
        + (cookie.isSecure ? " Secure" : "") + (cookie.isHTTPOnly ? " HttpOnly" : "")
    }
    self =
      switch response {
      case .done: .done
      case .cookies(let cookies): .cookies(cookies.map(text).sorted())
      case .change(let stored?, _): .stored(text(stored))
      case .change(nil, let removed?): .removed(text(removed))
      case .change(nil, nil): .unchanged
      case .rejected(let reason): .rejected(reason)
      case .count(let count): .count(count)
      }
  }
}

extension TraceDeviation<ComparableCookies> {
  /// The deviations that `Implementation.foundation` declares by clause, as answers to commands.
  static let ofFoundation = [
    Self(because: "the default path is always /") { step in
      guard case .stored(let recorded) = step.recorded, case .stored(let answer) = step.answer
      else { return false }
      return !step.line.contains("; Path=") && answer.replacing("/docs", with: "/") == recorded
    },
    Self(because: "a cookie for another domain is dropped without an error") { step in
      step.answer == .rejected(.domainMismatch) && step.recorded == .unchanged
    },
    Self(because: "the prefix __Host- is not checked") { $0.answer == .rejected(.hostPrefix) },
    Self(because: "Secure cookies are set from http") { $0.answer == .rejected(.insecureOrigin) },
    Self(because: "Secure cookies are overlaid from http") {
      $0.answer == .rejected(.overlaysSecure)
    },
    Self(because: "Max-Age is ignored without Version=1") { step in
      guard case .stored = step.recorded else { return false }
      return step.line.contains("; Max-Age=0")
    },
    Self(because: "Secure cookies are sent over http") { step in
      step.page?.isSecure == false && step.added.contains { $0.hasSuffix(" Secure") }
    },
  ]
}

extension TraceDeviation<ComparableCookies>.Step {
  /// The line of a command that stores one.
  fileprivate var line: String { if case .store(let line, _) = command { line } else { "" } }

  /// The page of a command that asks for its cookies.
  fileprivate var page: CookieSpecification.Page? {
    if case .cookies(let page) = command { page } else { nil }
  }

  /// The cookies that only the recorded answer has.
  fileprivate var added: Set<String> {
    guard case .cookies(let recorded) = recorded, case .cookies(let answer) = answer,
      Set(answer).isSubset(of: recorded)
    else { return [] }
    return Set(recorded).subtracting(answer)
  }
}
