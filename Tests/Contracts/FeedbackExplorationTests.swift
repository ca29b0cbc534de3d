import ContractTesting
import DriftExploration
import FeedbackContract
import FeedbackPort
import Testing

@Suite struct FeedbackExplorationTests {
  @Test func `the fake answers as the SDK does`() async throws {
    let answers = Domain<VendorAnswer>.of(.form("A"), .form("", questions: ["Why?"]), .failure(7))
    try await exploreDrift(
      of: .inMemory, from: .thirdPartyHeldStrongly, settings: .drift(time: .seconds(1))
    ) {
      Operation("load", .texts, answers) { fixture, id, answer in
        fixture.vendor.onLoad { $0.answer(answer) }
        return try await fixture.service.loadForm(id)
      }
      .comparingErrors { ($0 as? MultipleFormLoadError)?.id }
      Operation("listener") { fixture in fixture.vendor.listener }
      Operation("loadCount") { fixture in fixture.vendor.loadCount }
      Operation("letStrangerListen") { fixture in fixture.vendor.letStrangerListen() }
      Operation("letStrangerLeave") { fixture in fixture.vendor.letStrangerLeave() }
    }
  }
}
