import ContractTesting
import DriftExploration
import Foundation
import Testing

@MainActor private protocol Player: AnyObject, Sendable {
  var isPlaying: Bool { get }
  func play()
  func load(_ length: Int)
}

@MainActor private final class MemoryPlayer: Player {
  private(set) var isPlaying = false
  private let stopsAtLoad: Bool
  init(stopsAtLoad: Bool) { self.stopsAtLoad = stopsAtLoad }
  func play() { isPlaying = true }
  func load(_ length: Int) { if stopsAtLoad { isPlaying = false } }
}

extension Contract<any Player> {
  fileprivate static let player = Contract("main-actor-player", "Player on the main actor") {
    Clause("plays", "a player plays after play()") { @MainActor player in
      player.play()
      #expect(player.isPlaying)
    }
    // As the exploration below prints it.
    Clause(
      "play-load-is-playing", "player.isPlaying returns false after player.play(), player.load(0)",
      from: "exploration, seed 1"
    ) { @MainActor player in
      player.play()
      player.load(0)
      #expect(player.isPlaying == false)
    }
  }
}

extension Implementation<any Player> {
  fileprivate static let inMemory = fake("in-memory") { @MainActor in
    MemoryPlayer(stopsAtLoad: false)
  }
  fileprivate static let reference = fake("reference") { @MainActor in
    MemoryPlayer(stopsAtLoad: true)
  }
}

@Suite struct MainActorTests {
  @Test(arguments: Contract.player.cases(for: .reference))
  fileprivate func holds(_ contractCase: ContractCase<any Player>) async throws {
    try await contractCase.verify()
  }

  @Test func aClauseOfAPortOnTheMainActorIsPrintedAsItIsPasted() async throws {
    let here = try String(contentsOfFile: #filePath, encoding: .utf8).filter { !$0.isWhitespace }
    let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    try await findDrift(
      of: [.inMemory], from: .reference, settings: .brief,
      filePath: folder.appending(path: "Tests.swift").path,
      operations
    ) { result in
      let clause = result.problems.joined().components(separatedBy: "\nClause(").dropFirst()
        .joined()
      #expect(!clause.isEmpty)
      #expect(here.contains("Clause(" + clause.filter { !$0.isWhitespace }), "\(clause)")
    }
  }

  @OperationBuilder<any Player> private var operations: [AnyOperation<any Player>] {
    Operation("play") { @MainActor player in player.play() }
    Operation("load", .integers(0...3)) { @MainActor player, length in player.load(length) }
    Operation("isPlaying") { @MainActor player in player.isPlaying }
  }
}
