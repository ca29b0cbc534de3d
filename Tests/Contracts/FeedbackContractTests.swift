import ContractTesting
import FeedbackContract
import FeedbackPort
import Foundation
import ManualClocks
import Testing
import VendorAdapters
import VendorSDK

@Suite struct FeedbackContractTests {
  @Test(
    arguments: Contract.feedback.cases(
      for: .inMemory, .thirdPartyClass, .thirdPartyValue, .thirdPartyHeldStrongly)
      + Contract.feedback.saboteurCases)
  func holds(_ contractCase: ContractCase<FeedbackFixture>) async throws {
    try await contractCase.verify()
  }
}

extension Implementation<FeedbackFixture> {
  static let inMemory: Self = fake("in-memory") {
    // The ids print alike, and their bytes differ.
    .fake(
      having: OwnAnswers.form, besides: FeedbackForm(id: "e\u{301}", title: "of another id"))
  }

  static let thirdPartyClass = thirdParty("third-party", on: { .production }) { clock, _ in
    ThirdPartyFeedbackService(clock: clock)
  }
  .exclusive("VendorSDK")

  static let thirdPartyValue = thirdParty("third-party-value", on: { .production }) { clock, _ in
    FeedbackClient.thirdParty(clock: clock)
  }
  .exclusive("VendorSDK")

  /// An SDK that keeps its delegate alive, unlike the vendor's.
  static let thirdPartyHeldStrongly = thirdParty(
    "third-party-held-strongly", on: ThirdPartySandbox.init
  ) { clock, sandbox in
    let delegate = StrongReference()
    return FeedbackClient.thirdParty(
      clock: clock, loadFeedback: { sandbox.loadFeedbackForm($0) },
      getDelegate: { sandbox.delegate },
      setDelegate: {
        delegate.object = $0
        sandbox.delegate = $0
      })
  }

  private static func thirdParty(
    _ id: String, on makeSandbox: @escaping @Sendable () -> ThirdPartySandbox,
    _ make: @escaping @Sendable (ManualClock, ThirdPartySandbox) -> any FeedbackService
  ) -> Self {
    live(id) { scope in
      let sandbox = makeSandbox()
      sandbox.reset()
      sandbox.planEvery(.stalling)
      scope.onTearDown { sandbox.reset() }
      scope.witness("the SDK's count of loads") { sandbox.loadCount }
      let clock = ManualClock()
      return FeedbackFixture(
        service: make(clock, sandbox), otherService: make(clock, sandbox),
        vendor: SandboxedVendor(sandbox), timeLimit: .seconds(30),
        ownAnswers: .ofThirdParty(sandbox),
        passTime: {
          await clock.waitForSleepers()
          clock.advance(by: $0)
        })
    }
    .version { _ in AdaptedVersion.own("VendorSDK") }
    .deviating(
      from: "late-answer-told-apart", kind: .unsupported,
      because: "the SDK's callbacks do not say which load they answer")
  }
}

extension OwnAnswers {
  /// What the vendor's SDK answers to any id that is not empty.
  fileprivate static let form = FeedbackForm(
    id: "\u{e9}", title: "How do you like it?", questions: ["What could be better?"])

  /// The answers of the vendor's SDK to loads without a plan.
  fileprivate static func ofThirdParty(_ sandbox: ThirdPartySandbox) -> OwnAnswers {
    OwnAnswers(
      form: form, unknownID: "", isOfUnknownID: { ($0 as? ThirdPartyError)?.code == 404 },
      begin: { sandbox.reset() })
  }
}

/// Keeps an SDK's delegate alive.
///
/// `@unchecked Sendable` is safe because `object` is accessed under `lock`, and is only kept.
private final class StrongReference: @unchecked Sendable {
  private let lock = NSLock()
  private var kept: (any ThirdPartyDelegate)?

  var object: (any ThirdPartyDelegate)? {
    get { lock.withLock { kept } }
    set { lock.withLock { kept = newValue } }
  }
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

  func letStrangerLeave() { if listener == .stranger { sandbox.delegate = nil } }

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
