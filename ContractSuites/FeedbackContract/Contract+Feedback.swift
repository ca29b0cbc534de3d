public import ContractTesting
import FeedbackPort
import Testing

extension Contract<FeedbackFixture> {
  /// What every feedback service promises.
  public static let feedback = Contract("feedback", "Feedback service") {
    ClauseGroup("Loading") {
      Clause("id-verbatim", "the id reaches the vendor, and names the form, octet for octet") {
        for id in ["form-1", "", " a b ", "Ünï/cø?dé&#", "e\u{301}", "\u{e9}", "a\u{0}b"] {
          let load = try await $0.begin(id)
          #expect(Array(load.atVendor.id.utf8) == Array(id.utf8), "the vendor got another id")
          load.atVendor.answer(.form("A form"))
          let form = try await load.form()
          #expect(Array(form.id.utf8) == Array(id.utf8), "the form has another id")
        }
      }
      Clause("form-whole", "the form says what the vendor's says, question by question") {
        for questions in [[], [""], ["Why?", "Why?", "Ünï\u{0}\n"]] {
          let load = try await $0.begin("form")
          load.atVendor.answer(.form(" A form ", questions: questions))
          let form = try await load.form()
          #expect(form == FeedbackForm(id: "form", title: " A form ", questions: questions))
        }
      }
      Clause("listens-first", "the service listens before it asks the vendor") {
        let load = try await $0.begin("form")
        #expect(load.atVendor.listener == .service, "nobody listened when the vendor was asked")
        load.atVendor.answer(.form("A form"))
        #expect(try await load.form().title == "A form")
      }
    }
    ClauseGroup("One load at a time") {
      Clause("second-load", "a second load is refused and leaves the first alone") {
        try await refuseSecondLoad(on: $0.service, in: $0)
      }
      Clause("second-instance", "a load on another instance is refused just so") {
        try await refuseSecondLoad(on: $0.otherService, in: $0)
      }
      Clause("one-of-many", "of eight loads begun at once, the vendor is asked for one") {
        try await beginEightAtOnce(in: $0)
      }
      Clause("stranger-keeps-place", "a load is refused while somebody else listens, who stays") {
        fixture in
        fixture.vendor.letStrangerListen()
        await #expect(throws: MultipleFormLoadError.self) { try await fixture.begin("form") }
        #expect(fixture.vendor.listener == .stranger, "the place was stolen from a stranger")
        #expect(fixture.vendor.loadCount == 0, "the vendor was asked on a stranger's behalf")
      }
      Clause("stranger-not-removed", "who takes the place in the middle of a load keeps it") {
        fixture in
        let load = try await fixture.begin("form")
        fixture.vendor.letStrangerListen()
        load.task.cancel()
        await #expect(throws: CancellationError.self) { try await load.form() }
        #expect(fixture.vendor.listener == .stranger, "the service removed a stranger")
      }
    }
    ClauseGroup("Answers") {
      Clause("success", "a form ends the load and frees the place") { fixture in
        let load = try await fixture.begin("form")
        load.atVendor.answer(.form("A form"))
        let form = try await load.form()
        #expect(form.title == "A form")
        try await fixture.expectNewLoadWorks()
      }
      Clause("failure", "an error ends the load and frees the place") { fixture in
        let load = try await fixture.begin("form")
        load.atVendor.answer(.failure(7))
        await #expect(throws: (any Error).self) { try await load.form() }
        try await fixture.expectNewLoadWorks()
      }
      Clause("error-intact", "the vendor's error arrives as the vendor made it") { fixture in
        for code in [0, -1, 404, Int.max] {
          let load = try await fixture.begin("form")
          load.atVendor.answer(.failure(code))
          let error = await #expect(throws: (any Error).self) { try await load.form() }
          #expect(error.flatMap(fixture.vendor.code(of:)) == code, "the error was changed")
        }
      }
      Clause("synchronous", "an answer may come before the vendor's function returns") { fixture in
        fixture.vendor.onLoad { $0.answer(.form("At once")) }
        #expect(try await fixture.service.loadForm("form").title == "At once")
        fixture.vendor.onLoad { $0.answer(.failure(7)) }
        await #expect(throws: (any Error).self) { try await fixture.service.loadForm("form") }
        try await fixture.expectNewLoadWorks()
      }
      Clause("answered-twice", "of two answers to a load, the second is without effect") {
        fixture in
        for second in [VendorAnswer.form("the second answer"), .failure(7)] {
          let load = try await fixture.begin("form")
          load.atVendor.answer(.form("A form"))
          load.atVendor.answer(second)
          #expect(try await load.form().title == "A form")
          try await fixture.expectNewLoadWorks()
        }
      }
      Clause("any-thread", "eight threads may answer at once: one of them counts") { fixture in
        for round in 1...25 {
          let load = try await fixture.begin("form")
          await onThreads(8) {
            load.atVendor.answer($0.isMultiple(of: 2) ? .form("\(round)") : .failure(round))
          }
          do {
            #expect(try await load.form().title == "\(round)", "this is another load's form")
          } catch {
            #expect(fixture.vendor.code(of: error) == round, "this is another load's error")
          }
          #expect(fixture.vendor.listener == .nobody)
        }
        try await fixture.expectNewLoadWorks()
      }
    }
    ClauseGroup("Giving up") {
      Clause("cancelled", "cancellation ends the load with CancellationError and frees the place") {
        fixture in
        let load = try await fixture.begin("form")
        load.task.cancel()
        await #expect(throws: CancellationError.self) { try await load.form() }
        try await fixture.expectNewLoadWorks()
      }
      Clause("cancelled-before", "a load of a cancelled task never reaches the vendor") {
        fixture in
        let task = Task {
          withUnsafeCurrentTask { $0?.cancel() }
          return try await fixture.service.loadForm("form")
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(fixture.vendor.loadCount == 0, "the vendor was asked for nobody")
        try await fixture.expectNewLoadWorks()
      }
      Clause("late-answer", "an answer after the cancellation is ignored") { fixture in
        let load = try await fixture.begin("form")
        load.task.cancel()
        await #expect(throws: CancellationError.self) { try await load.form() }
        load.atVendor.answer(.form("Too late"))
        load.atVendor.answer(.failure(7))
        try await fixture.expectNewLoadWorks()
        try await fixture.expectNewLoadWorks(on: fixture.otherService)
      }
      Clause("late-answer-told-apart", "not even the next load takes a cancelled one's answer") {
        fixture in
        let first = try await fixture.begin("first")
        first.task.cancel()
        await #expect(throws: CancellationError.self) { try await first.form() }
        let second = try await fixture.begin("second")
        first.atVendor.answer(.form("the first"))
        second.atVendor.answer(.form("the second"))
        let title = try await second.form().title
        #expect(title == "the second", "the second load got the first one's form")
      }
      Clause("time-out", "a load that the vendor never answers ends when its time is up") {
        fixture in
        let load = try await fixture.begin("form")
        await fixture.passTime(fixture.timeLimit)
        let expected = FeedbackTimeoutError(id: "form", timeLimit: fixture.timeLimit)
        await #expect(throws: expected) { try await load.form() }
        load.atVendor.answer(.form("Too late"))
        try await fixture.expectNewLoadWorks()
      }
      Clause("time-of-its-own", "the time of a load that has ended does not end the next one") {
        fixture in
        let first = try await fixture.begin("first")
        await fixture.passTime(fixture.timeLimit / 2)
        first.atVendor.answer(.form("the first"))
        _ = try await first.form()
        let second = try await fixture.begin("second")
        await fixture.passTime(fixture.timeLimit / 2)
        second.atVendor.answer(.form("the second"))
        #expect(try await second.form().title == "the second")
      }
    }
  } saboteurs: {
    sabotagedFeedback
  }

  private static func refuseSecondLoad(
    on service: any FeedbackService, in fixture: FeedbackFixture
  ) async throws {
    let first = try await fixture.begin("first")
    await #expect(throws: MultipleFormLoadError(id: "second")) {
      try await fixture.begin("second", on: service)
    }
    try #require(fixture.vendor.loadCount == 1, "the vendor was asked for the refused load")
    #expect(fixture.vendor.listener == .service, "the first load lost its place")
    first.atVendor.answer(.form("the first"))
    #expect(try await first.form().title == "the first")
    try await fixture.expectNewLoadWorks(on: service)
  }

  private static func beginEightAtOnce(in fixture: FeedbackFixture) async throws {
    let events = AsyncStream<ContentionEvent>.makeStream()
    fixture.vendor.onLoad { events.continuation.yield(.asked($0)) }
    let tasks = (0..<8).map { number in
      let service = number.isMultiple(of: 2) ? fixture.service : fixture.otherService
      return Task {
        do {
          return try await service.loadForm("\(number)")
        } catch {
          events.continuation.yield(.ended(error))
          throw error
        }
      }
    }
    defer { for task in tasks { task.cancel() } }
    var asked: [VendorLoad] = []
    for await event in events.stream.prefix(8) {
      switch event {
      case .asked(let load): asked.append(load)
      case .ended(let error): #expect(error is MultipleFormLoadError)
      }
    }
    try #require(asked.count == 1, "the vendor was asked for several loads at once")
    for load in asked { load.answer(.form("A form")) }
    var forms: [FeedbackForm] = []
    for task in tasks {
      if let form = try? await task.value { forms.append(form) }
    }
    #expect(forms.map(\.title) == ["A form"], "the load that was begun did not get its form")
  }
}

/// What becomes of one of several loads begun at once.
private enum ContentionEvent: Sendable {
  case asked(VendorLoad)
  case ended(any Error)
}
