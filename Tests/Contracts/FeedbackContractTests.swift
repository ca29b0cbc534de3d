import ContractTesting
import FeedbackContract
import FeedbackPort
import ManualClocks
import Testing
import VendorAdapters
import VendorSDK

@Suite struct FeedbackContractTests {
  @Test(
    arguments: Contract.feedback.cases(for: .inMemory, .thirdPartyClass, .thirdPartyValue)
      + Contract.feedback.saboteurCases)
  func holds(_ contractCase: ContractCase<FeedbackFixture>) async throws {
    try await contractCase.verify()
  }
}

extension Implementation<FeedbackFixture> {
  static let inMemory = fake("in-memory") {
    let service = FakeFeedbackService()
    return FeedbackFixture(
      service: service, otherService: FakeFeedbackService(sharingVendorOf: service),
      vendor: FakeVendor(service: service), timeLimit: .seconds(30),
      passTime: { service.advance(by: $0) })
  }

  static let thirdPartyClass = thirdParty("third-party") { ThirdPartyFeedbackService(clock: $0) }

  static let thirdPartyValue = thirdParty("third-party-value") {
    FeedbackClient.thirdParty(clock: $0)
  }

  private static func thirdParty(
    _ id: String, _ make: @escaping @Sendable (ManualClock) -> any FeedbackService
  ) -> Self {
    live(id) { scope in
      let sandbox = ThirdPartySandbox.production
      sandbox.reset()
      sandbox.planEvery(.stalling)
      scope.onTearDown { sandbox.reset() }
      scope.witness("the SDK's count of loads") { sandbox.loadCount }
      let clock = ManualClock()
      return FeedbackFixture(
        service: NotedFeedbackService(make(clock)),
        otherService: NotedFeedbackService(make(clock)), vendor: SandboxedVendor(sandbox),
        timeLimit: .seconds(30),
        passTime: {
          await clock.waitForSleepers()
          clock.advance(by: $0)
        })
    }
    .exclusive("VendorSDK")
    .deviating(
      from: "late-answer-told-apart", kind: .unsupported,
      because: "the SDK's callbacks do not say which load they answer")
  }
}

/// Controls the fake's vendor, which is part of the fake.
private struct FakeVendor: FeedbackVendor {
  struct Failure: Error {
    var code: Int
  }

  var service: FakeFeedbackService

  var listener: FeedbackListener {
    service.isVendorTaken ? .stranger : service.isListening ? .service : .nobody
  }

  var loadCount: Int { service.requestedIDs.count }

  func letStrangerListen() { service.isVendorTaken = true }

  func onLoad(_ body: @escaping @Sendable (VendorLoad) -> Void) {
    service.onLoad { load in
      body(
        VendorLoad(id: load.id, listener: listener) { load.answer(result(of: $0, id: load.id)) })
    }
  }

  private func result(of answer: VendorAnswer, id: String) -> Result<FeedbackForm, any Error> {
    switch answer {
    case .form(let title, let questions):
      .success(FeedbackForm(id: id, title: title, questions: questions))
    case .failure(let code): .failure(Failure(code: code))
    }
  }

  func code(of error: any Error) -> Int? { (error as? Failure)?.code }
}

/// Controls the SDK through its sandbox.
private final class SandboxedVendor: FeedbackVendor {
  /// Another client of the SDK.
  private final class Stranger: ThirdPartyDelegate, Sendable {
    func formDidLoad(_ form: ThirdPartyForm) {}
    func formDidFailLoading(_ error: ThirdPartyError) {}
  }

  private let sandbox: ThirdPartySandbox
  private let stranger = Stranger()

  init(_ sandbox: ThirdPartySandbox) { self.sandbox = sandbox }

  var listener: FeedbackListener { listener(sandbox.delegate.map { ObjectIdentifier($0) }) }

  private func listener(_ delegate: ObjectIdentifier?) -> FeedbackListener {
    delegate.map { $0 == ObjectIdentifier(stranger) ? .stranger : .service } ?? .nobody
  }

  var loadCount: Int { sandbox.loadCount }

  func letStrangerListen() { sandbox.delegate = stranger }

  func onLoad(_ body: @escaping @Sendable (VendorLoad) -> Void) {
    sandbox.onLoad { [self] load in
      body(
        VendorLoad(id: load.id, listener: listener(load.delegate)) { load.answer($0.sandboxAnswer) }
      )
    }
  }

  func code(of error: any Error) -> Int? {
    guard let error = error as? ThirdPartyError, error.message == VendorAnswer.message else {
      return nil
    }
    return error.code
  }
}

extension VendorAnswer {
  fileprivate static let message = "the clause requested a failure"

  fileprivate var sandboxAnswer: ThirdPartySandbox.Answer {
    switch self {
    case .form(let title, let questions): .form(title: title, questions: questions)
    case .failure(let code): .failure(code: code, message: Self.message)
    }
  }
}
