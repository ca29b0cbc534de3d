import ContractExploration
import ContractTesting
import FeedbackContract
import Testing

@Suite struct FeedbackExplorationTests {
  @Test func `the fake agrees with its specification`() async throws {
    try await explore(
      .feedback, on: Implementation<FeedbackFixture>.inMemory.map { FeedbackSession($0) })
  }
}
