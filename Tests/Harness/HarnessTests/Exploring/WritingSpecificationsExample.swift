import ContractInterleavings
import ContractTesting
import Foundation
import Testing

// The code of the article WritingSpecifications.

/// Reserves seats of one event.
protocol SeatMap: Sendable {
  /// Reserves a seat and returns `true`, or returns `false` if someone else has it.
  func reserve(_ seat: Int, for guest: String) async throws(SeatError) -> Bool
  func release(_ seat: Int, by guest: String) async throws(SeatError) -> Bool
  func guest(on seat: Int) async throws(SeatError) -> String?
}

enum SeatError: Error, Hashable {
  case noSuchSeat
}

struct SeatMapSpecification: Specification {
  enum Command: Hashable, Sendable, Codable, CustomStringConvertible {
    case reserve(Int, String)
    case release(Int, String)
    case guest(Int)

    var description: String {
      switch self {
      case .reserve(let seat, let guest): "reserve(\(seat), \"\(guest)\")"
      case .release(let seat, let guest): "release(\(seat), \"\(guest)\")"
      case .guest(let seat): "guest(\(seat))"
      }
    }
  }

  enum Response: Hashable, Sendable {
    case done(Bool)
    case guest(String?)
    case failed(SeatError)
  }

  var seats = 40
  var initialState: [Int: String] { [:] }

  func apply(_ command: Command, to state: inout [Int: String]) -> Response {
    guard (1...seats).contains(seat(of: command)) else { return .failed(.noSuchSeat) }
    switch command {
    case .reserve(let seat, let guest):
      guard state[seat] == nil || state[seat] == guest else { return .done(false) }
      state[seat] = guest
      return .done(true)
    case .release(let seat, let guest):
      guard state[seat] == guest else { return .done(false) }
      state[seat] = nil
      return .done(true)
    case .guest(let seat): return .guest(state[seat])
    }
  }

  func perform(_ command: Command, on subject: any SeatMap) async throws -> Response {
    do throws(SeatError) {
      switch command {
      case .reserve(let seat, let guest):
        return .done(try await subject.reserve(seat, for: guest))
      case .release(let seat, let guest):
        return .done(try await subject.release(seat, by: guest))
      case .guest(let seat): return .guest(try await subject.guest(on: seat))
      }
    } catch {
      return .failed(error)
    }
  }

  func command(from choices: inout Choices, in state: [Int: String]) -> Command {
    let seat = choices.integer(in: 0...seats + 1, domain: "seat")
    let guest = choices.element(of: ["ann", "ben"], domain: "guest") ?? "ann"
    return switch choices.index(weights: [3, 2, 2]) {
    case 0: .reserve(seat, guest)
    case 1: .release(seat, guest)
    default: .guest(seat)
    }
  }

  var kinds: [String] { ["reserve", "release", "guest"] }

  func isReadOnly(_ command: Command) -> Bool {
    if case .guest = command { return true }
    return false
  }

  func partition(of command: Command) -> AnyHashable? { seat(of: command) }

  private func seat(of command: Command) -> Int {
    switch command {
    case .reserve(let seat, _), .release(let seat, _), .guest(let seat): seat
    }
  }
}

/// A fake whose heart is a dictionary.
actor InMemorySeatMap: SeatMap {
  private let seats = 40
  private var guests: [Int: String] = [:]

  func reserve(_ seat: Int, for guest: String) throws(SeatError) -> Bool {
    try check(seat)
    guard guests[seat] == nil || guests[seat] == guest else { return false }
    guests[seat] = guest
    return true
  }

  func release(_ seat: Int, by guest: String) throws(SeatError) -> Bool {
    try check(seat)
    guard guests[seat] == guest else { return false }
    guests[seat] = nil
    return true
  }

  func guest(on seat: Int) throws(SeatError) -> String? {
    try check(seat)
    return guests[seat]
  }

  private func check(_ seat: Int) throws(SeatError) {
    guard (1...seats).contains(seat) else { throw .noSuchSeat }
  }
}

extension Implementation<any SeatMap> {
  static let inMemorySeats = fake("in-memory-seats") { InMemorySeatMap() }
}

@Suite struct WritingSpecificationsExample {
  @Test func `the seat map of the article passes the three explorations`() async throws {
    try await explore(SeatMapSpecification(), on: .inMemorySeats)
    try await exploreInterleavings(SeatMapSpecification(), on: .inMemorySeats, programs: 3)
    try await exploreConcurrently(
      SeatMapSpecification(), on: .inMemorySeats, settings: .init(runs: 20, steps: 24))
  }

  @Test func `every line of code in the article is in this file`() throws {
    let file = URL(filePath: #filePath)
    let root = file.deletingLastPathComponent().appending(path: "../../../..").standardized
    let article = try String(
      contentsOf: root.appending(
        path:
          "Sources/Harness/ContractExploration/ContractExploration.docc/WritingSpecifications.md"
      ), encoding: .utf8)
    let code = try String(contentsOf: file, encoding: .utf8)
    let known = Set(
      code.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) })
    let blocks = article.components(separatedBy: "```swift\n").dropFirst().map {
      $0.components(separatedBy: "```")[0]
    }
    #expect(blocks.count >= 7)
    for line in blocks.joined().split(separator: "\n") {
      #expect(known.contains(line.trimmingCharacters(in: .whitespaces)), "\(line)")
    }
  }
}
