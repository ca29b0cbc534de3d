import Foundation
import Testing

@testable import DriftExploration

@Suite struct SuggestionErrorTests {
  private let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID())").path

  @Test(arguments: [[7], [0], [-1]])
  func aFileWithoutThePlaceOfAMutantIsRefused(_ mutants: [Int]) throws {
    try Data(count: 71).write(to: URL(filePath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    #expect(throws: SuggestionError.self) {
      try MutantSwitch(SuggestionRequest(mutants: mutants, seconds: 1, results: ""), at: path)
    }
    let switches = try MutantSwitch(
      SuggestionRequest(mutants: [6], seconds: 1, results: ""), at: path)
    #expect(!switches.isReached(6))
  }

  @Test func aMissingFileIsNamed() {
    #expect(throws: SuggestionError.state(path: path, problem: "No such file or directory")) {
      try MutantSwitch(SuggestionRequest(mutants: [1], seconds: 1, results: ""), at: path)
    }
  }

  @Test func aSuggestionThatCannotBeWrittenIsAnError() {
    let request = SuggestionRequest(mutants: [1], seconds: 1, results: "/dev/full")
    #expect(
      throws: SuggestionError.results(path: "/dev/full", problem: "No space left on device")
    ) { try request.append(Suggestion(mutants: [1])) }
  }
}
