import SystemLocks
import Testing
import VendorSDK

@Suite struct ThirdPartySandboxTests {
  private final class Listener: ThirdPartyDelegate, Sendable {
    let answers = AsyncStream<String>.makeStream()

    func formDidLoad(_ form: ThirdPartyForm) { answers.continuation.yield(form.title) }

    func formDidFailLoading(_ error: ThirdPartyError) {
      answers.continuation.yield("\(error.code) \(error.message)")
    }

    func first(_ count: Int) async -> [String] {
      var first: [String] = []
      for await answer in answers.stream.prefix(count) { first.append(answer) }
      return first
    }
  }

  private let sandbox = ThirdPartySandbox()
  private let listener = Listener()

  init() { sandbox.delegate = listener }

  @Test func `a load without a plan returns a form, or an error for an empty id`() async {
    sandbox.loadFeedbackForm("form")
    #expect(await listener.first(1) == ["How do you like it?"])
    sandbox.loadFeedbackForm("")
    #expect(await listener.first(1) == ["404 no form id was given"])
  }

  @Test func `plans are carried out in order`() async {
    sandbox.plan(
      .answeringSynchronously(.form(title: "at once")), .stalling,
      .answeringTwice(.failure(code: 5, message: "twice")))
    for _ in 1...3 { sandbox.loadFeedbackForm("form") }
    #expect(await listener.first(3) == ["at once", "5 twice", "5 twice"])
    #expect(sandbox.loadCount == 3)
  }

  @Test func `a stalled load is answered later, to the current delegate`() async {
    let loads = Mutex<[ThirdPartySandbox.Load]>([])
    sandbox.onLoad { load in loads.withLock { $0.append(load) } }
    sandbox.planEvery(.stalling)
    sandbox.loadFeedbackForm("form")
    let load = loads.withLock(\.first)
    #expect(load?.id == "form")
    #expect(load?.delegate == ObjectIdentifier(listener))
    sandbox.delegate = nil
    load?.answer(.form(title: "lost"))
    sandbox.delegate = listener
    load?.answer(.form(title: "late"))
    #expect(await listener.first(1) == ["late"])
  }

  @Test func `the delegate is held weakly`() {
    sandbox.delegate = Listener()
    #expect(sandbox.delegate == nil)
  }

  @Test func `a reset removes plans, loads and the delegate`() {
    sandbox.plan(.stalling)
    sandbox.loadFeedbackForm("form")
    sandbox.reset()
    #expect(sandbox.loadCount == 0)
    #expect(sandbox.delegate == nil)
  }
}
