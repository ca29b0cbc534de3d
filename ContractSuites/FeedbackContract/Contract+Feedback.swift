public import ContractTesting
import FeedbackPort
import SystemThreads
import Testing

extension Contract<FeedbackFixture> {
  /// The behaviour of every feedback service.
  public static let feedback: Self = Contract(
    "feedback", "Feedback service", leavesOthersToMutants: true
  ) {
    ClauseGroup("Loading") {
      Clause("id-verbatim", "the vendor and the form receive the id with unchanged bytes") {
        for id in ["form-1", "", " a b ", "Ünï/cø?dé&#", "e\u{301}", "\u{e9}", "a\u{0}b"] {
          let load = try await $0.begin(id)
          #expect(
            Array(load.atVendor.id.utf8) == Array(id.utf8), "the vendor received a different id")
          load.atVendor.answer(.form("A form"))
          let form = try await load.form()
          #expect(Array(form.id.utf8) == Array(id.utf8), "the form has a different id")
        }
      }
      Clause("form-whole", "the form has the title and the questions of the vendor's form") {
        for questions in [[], [""], ["Why?", "Why?", "Ünï\u{0}\n"]] {
          let load = try await $0.begin("form")
          load.atVendor.answer(.form(" A form ", questions: questions))
          let form = try await load.form()
          #expect(form == FeedbackForm(id: "form", title: " A form ", questions: questions))
        }
      }
      Clause("listens-first", "the service is the listener before the load reaches the vendor") {
        let load = try await $0.begin("form")
        #expect(load.atVendor.listener == .service, "the load arrived before the service listened")
        load.atVendor.answer(.form("A form"))
        #expect(try await load.form().title == "A form")
      }
    }
    ClauseGroup("One load at a time") {
      Clause("second-load", "a second load is refused, and the first continues") {
        try await refuseSecondLoad(on: $0.service, in: $0)
      }
      Clause("second-instance", "a second load on another instance is refused in the same way") {
        try await refuseSecondLoad(on: $0.otherService, in: $0)
      }
      Clause("one-of-many", "of eight concurrent loads, one reaches the vendor") {
        try await beginEightAtOnce(in: $0)
      }
      Clause("stranger-keeps-place", "a load is refused while another client listens") { fixture in
        fixture.vendor.letStrangerListen()
        await #expect(throws: MultipleFormLoadError.self) { try await fixture.begin("form") }
        #expect(
          fixture.vendor.listener == .stranger, "the service replaced another client's listener")
        #expect(fixture.vendor.loadCount == 0, "the refused load reached the vendor")
      }
      Clause("stranger-leaves", "a load may begin when the other client has stopped listening") {
        fixture in
        fixture.vendor.letStrangerListen()
        await #expect(throws: MultipleFormLoadError.self) { try await fixture.begin("form") }
        fixture.vendor.letStrangerLeave()
        try await fixture.expectNewLoadWorks()
        let load = try await fixture.begin("form")
        fixture.vendor.letStrangerLeave()
        #expect(fixture.vendor.listener == .service, "the service listens no longer")
        load.atVendor.answer(.form("A form"))
        #expect(try await load.form().title == "A form")
      }
      Clause(
        "stranger-not-removed",
        "a client that starts to listen during a load gets its answer, and is not removed"
      ) { fixture in
        let load = try await fixture.begin("form")
        fixture.vendor.letStrangerListen()
        load.atVendor.answer(.form("for the stranger"))
        load.task.cancel()
        await #expect(throws: CancellationError.self) { try await load.form() }
        #expect(
          fixture.vendor.listener == .stranger, "the service removed another client's listener")
      }
      Clause(
        "stranger-passes", "after a client that came and went during a load, another load may begin"
      ) { fixture in
        for isAnswered in [true, false] {
          let lost = try await fixture.begin("form")
          fixture.vendor.letStrangerListen()
          fixture.vendor.letStrangerLeave()
          let next = try await fixture.begin("next")
          lost.task.cancel()
          await #expect(throws: CancellationError.self) { try await lost.form() }
          #expect(fixture.vendor.listener == .service, "the lost load removed the next listener")
          if isAnswered {
            next.atVendor.answer(.form("the next"))
            #expect(try await next.form().title == "the next")
          } else {
            await fixture.passTime(fixture.timeLimit)
            await #expect(throws: FeedbackTimeoutError.self) { try await next.form() }
          }
          try await fixture.expectNewLoadWorks()
        }
      }
    }
    ClauseGroup("Answers") {
      Clause("success", "after a form, the next load may begin") { fixture in
        let load = try await fixture.begin("form")
        load.atVendor.answer(.form("A form"))
        let form = try await load.form()
        #expect(form.title == "A form")
        try await fixture.expectNewLoadWorks()
      }
      Clause("failure", "after an error, the next load may begin") { fixture in
        let load = try await fixture.begin("form")
        load.atVendor.answer(.failure(7))
        await #expect(throws: (any Error).self) { try await load.form() }
        try await fixture.expectNewLoadWorks()
      }
      Clause("error-intact", "the load throws the vendor's error unchanged") { fixture in
        for code in [0, -1, 404, Int.max] {
          let load = try await fixture.begin("form")
          load.atVendor.answer(.failure(code))
          let error = await #expect(throws: (any Error).self) { try await load.form() }
          #expect(
            error.flatMap(fixture.vendor.code(of:)) == code, "the load threw a different error")
        }
      }
      Clause("synchronous", "the vendor may answer before its function returns") { fixture in
        fixture.vendor.onLoad { $0.answer(.form("At once")) }
        #expect(try await fixture.service.loadForm("form").title == "At once")
        fixture.vendor.onLoad { $0.answer(.failure(7)) }
        await #expect(throws: (any Error).self) { try await fixture.service.loadForm("form") }
        try await fixture.expectNewLoadWorks()
      }
      Clause("answered-twice", "a second answer to a load has no effect") { fixture in
        for second in [VendorAnswer.form("the second answer"), .failure(7)] {
          let load = try await fixture.begin("form")
          load.atVendor.answer(.form("A form"))
          load.atVendor.answer(second)
          #expect(try await load.form().title == "A form")
          try await fixture.expectNewLoadWorks()
        }
      }
      Clause("any-thread", "one of eight concurrent answers counts") { fixture in
        for round in 1...25 {
          let load = try await fixture.begin("form")
          await onThreads(8) {
            load.atVendor.answer($0.isMultiple(of: 2) ? .form("\(round)") : .failure(round))
          }
          do {
            #expect(
              try await load.form().title == "\(round)", "the load received another load's form")
          } catch {
            #expect(
              fixture.vendor.code(of: error) == round, "the load received another load's error")
          }
          #expect(fixture.vendor.listener == .nobody)
        }
        try await fixture.expectNewLoadWorks()
      }
    }
    ClauseGroup("The vendor's own answers") {
      Clause("own-form", "a load of the vendor's form returns it") { fixture in
        let own = fixture.ownAnswers
        own.begin()
        let form = try await fixture.service.loadForm(own.form.id)
        #expect(form == own.form)
      }
      Clause("own-error", "a load of an id that the vendor does not know throws its error") {
        fixture in
        let own = fixture.ownAnswers
        own.begin()
        let error = await #expect(throws: (any Error).self) {
          try await fixture.service.loadForm(own.unknownID)
        }
        #expect(error.map(own.isOfUnknownID) == true, "the load threw a different error")
      }
      Clause("own-turn", "the vendor receives and answers each load once") { fixture in
        let own = fixture.ownAnswers
        own.begin()
        for round in 1...30 {
          let isKnown = !round.isMultiple(of: 3)
          let id = isKnown ? own.form.id : own.unknownID
          let form = try? await fixture.service.loadForm(id)
          try #require((form != nil) == isKnown, "the load received another load's answer")
        }
        #expect(fixture.vendor.loadCount == 30, "a load reached the vendor twice or never")
      }
    }
    ClauseGroup("Giving up") {
      Clause("cancelled", "a cancelled load throws CancellationError, and the next may begin") {
        fixture in
        let load = try await fixture.begin("form")
        load.task.cancel()
        await #expect(throws: CancellationError.self) { try await load.form() }
        try await fixture.expectNewLoadWorks()
      }
      Clause("cancelled-before", "a load of a cancelled task does not reach the vendor") {
        fixture in
        let task = Task {
          withUnsafeCurrentTask { $0?.cancel() }
          return try await fixture.service.loadForm("form")
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(fixture.vendor.loadCount == 0, "the vendor received a load of a cancelled task")
        try await fixture.expectNewLoadWorks()
      }
      Clause("late-answer", "an answer after the cancellation has no effect") { fixture in
        let load = try await fixture.begin("form")
        load.task.cancel()
        await #expect(throws: CancellationError.self) { try await load.form() }
        load.atVendor.answer(.form("Too late"))
        load.atVendor.answer(.failure(7))
        try await fixture.expectNewLoadWorks()
        try await fixture.expectNewLoadWorks(on: fixture.otherService)
      }
      Clause("late-answer-told-apart", "the next load does not receive a cancelled load's answer") {
        fixture in
        let first = try await fixture.begin("first")
        first.task.cancel()
        await #expect(throws: CancellationError.self) { try await first.form() }
        let second = try await fixture.begin("second")
        first.atVendor.answer(.form("the first"))
        second.atVendor.answer(.form("the second"))
        let title = try await second.form().title
        #expect(title == "the second", "the second load received the first load's form")
      }
      Clause("time-out", "a load without an answer times out at its time limit") { fixture in
        let load = try await fixture.begin("form")
        await fixture.passTime(fixture.timeLimit)
        let expected = FeedbackTimeoutError(id: "form", timeLimit: fixture.timeLimit)
        await #expect(throws: expected) { try await load.form() }
        load.atVendor.answer(.form("Too late"))
        try await fixture.expectNewLoadWorks()
      }
      Clause("time-of-its-own", "the timer of an ended load does not end the next load") {
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
    Saboteur.feedback
  }

  private static func refuseSecondLoad(
    on service: any FeedbackService, in fixture: FeedbackFixture
  ) async throws {
    let first = try await fixture.begin("first")
    await #expect(throws: MultipleFormLoadError(id: "second")) {
      try await fixture.begin("second", on: service)
    }
    try #require(fixture.vendor.loadCount == 1, "the vendor received the refused load")
    #expect(fixture.vendor.listener == .service, "the first load lost its listener")
    first.atVendor.answer(.form("the first"))
    #expect(try await first.form().title == "the first")
    try await fixture.expectNewLoadWorks(on: service)
  }

  private static func beginEightAtOnce(in fixture: FeedbackFixture) async throws {
    let events = AsyncStream<ContentionEvent>.makeStream()
    fixture.vendor.onLoad { events.continuation.yield(.reached($0)) }
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
    var reached: [VendorLoad] = []
    for await event in events.stream.prefix(8) {
      switch event {
      case .reached(let load): reached.append(load)
      case .ended(let error): #expect(error is MultipleFormLoadError)
      }
    }
    try #require(reached.count == 1, "the vendor received several loads at once")
    for load in reached { load.answer(.form("A form")) }
    var forms: [FeedbackForm] = []
    for task in tasks {
      if let form = try? await task.value { forms.append(form) }
    }
    #expect(
      forms.map(\.title) == ["A form"], "the load that reached the vendor did not return its form")
  }
}

/// The first event of one of several concurrent loads.
private enum ContentionEvent: Sendable {
  case reached(VendorLoad)
  case ended(any Error)
}
