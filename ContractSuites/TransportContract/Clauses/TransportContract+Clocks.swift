import ContractTesting
import ManualClocks
import Testing
import TransportPort

/// A manual clock that counts the tasks that have begun to sleep, and those that have woken up.
private final class CountingClock: Clock {
  let clock = ManualClock()
  let (begun, ended) = (Counter(), Counter())

  var now: ManualClock.Instant { clock.now }
  var minimumResolution: Duration { clock.minimumResolution }

  func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
    begun.increment()
    defer { ended.increment() }
    try await clock.sleep(until: deadline, tolerance: tolerance)
  }
}

extension TransportClauses {
  @ClauseBuilder<TransportFixture>
  static var clocks: [Clause<TransportFixture>] {
    Clause(
      "idle-clock", "the idle timeout starts again with each piece of content that is sent",
      from: "this project"
    ) { fixture in
      let clock = ManualClock()
      let deadlines = Deadlines(idle: .seconds(10))
      let world = try await fixture.world(.respond(text: "done"))
      let limited = world.through { $0.enforcing(deadlines, clock: clock) }
      // Pieces are sent after 0, 5, 10 and 19 s. The enforcer looks at 10 and 15 s.
      let chunks = Chunks { index in
        guard index > 0 else { return [0x61] }
        await clock.waitForSleepers()
        clock.advance(by: .seconds(index < 3 ? 5 : 9))
        return index < 4 ? [0x61] : nil
      }
      let answer = try await limited.answer(.post, body: .stream(chunks))
      checkEqual(answer.text, "done", "the content")
      checkEqual(world.log.requests.first?.bodyCount, 4, "the number of content bytes")
    }
    Clause(
      "exact-idle-clock", "the idle timeout ends a request exactly when it has passed",
      from: "this project"
    ) { fixture in
      let clock = ManualClock()
      let world = try await fixture.world([.readBody, .stall])
        .through { $0.enforcing(Deadlines(idle: .seconds(10)), clock: clock) }
      let pieces = Counter()
      // The second piece is sent after 5 s, and none follows.
      let chunks = Chunks { index in
        if index == 1 {
          await clock.waitForSleepers()
          clock.advance(by: .seconds(5))
        }
        pieces.increment()
        if index == 2 { try await waitForCancellation() }
        return [0x61]
      }
      let task = Task { await world.expectFailure(.idleTimeout, of: .post, body: .stream(chunks)) }
      check(
        try await happens(within: .seconds(5)) { pieces.value == 3 }, "the content is not read")
      clock.advance(by: .seconds(5))
      await clock.waitForSleepers()
      clock.advance(by: .seconds(5))
      checkEqual(await task.value?.phase, .awaitingHead, "the phase")
      checkEqual(clock.now.offset, .seconds(15), "the time")
    }
    Clause(
      "unread-clock",
      "a deadline ends an unread response exactly when it has passed, and the idle timeout does not",
      from: "this project", requires: .connections
    ) { fixture in
      let clock = ManualClock()
      let world = try await fixture.world(
        .raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc") + [.stall])
      let deadlines = Deadlines(idle: .seconds(10), overall: .seconds(12))
      let exchange = try await world.through { $0.enforcing(deadlines, clock: clock) }.send()
      await clock.waitForSleepers()
      clock.advance(by: .seconds(10))
      await clock.waitForSleepers()
      checkEqual(world.log.counts.closedByClient, 0, "the number of closed connections after 10 s")
      clock.advance(by: .seconds(2))
      try await world.expect("the connection is closed after 12 s") { $0.closedByClient == 1 }
      let error = await #expect(throws: TransportError.self) {
        try await exchange.body.collect(upTo: 9)
      }
      checkEqual(error?.kind, .deadlineExceeded, "the error of reading")
      checkEqual(error?.bytesSent, true, "whether bytes were sent")
    }
    Clause(
      "slow-reader", "the idle timeout does not count while nobody reads", from: "this project",
      requires: .connections
    ) { fixture in
      let clock = ManualClock()
      let world = try await fixture.world(
        .raw("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabc") + [.send("def")])
      let exchange = try await world.through {
        $0.enforcing(Deadlines(idle: .seconds(10)), clock: clock)
      }.send()
      for _ in 1...3 {
        await clock.waitForSleepers()
        clock.advance(by: .seconds(10))
      }
      await clock.waitForSleepers()
      checkText(try await exchange.body.collect(upTo: 9), "abcdef", "the content")
    }
    Clause(
      "ended-clock", "nothing sleeps on the clock for an exchange that has ended",
      from: "this project"
    ) { fixture in
      let clock = CountingClock()
      let world = try await fixture.world(.respond(text: "hi"))
        .through { $0.enforcing(Deadlines(overall: .seconds(60)), clock: clock) }
      do {
        let exchange = try await world.send()
        await clock.clock.waitForSleepers()
        checkText(try await exchange.body.collect(upTo: 9), "hi", "the content")
      }
      let isOver = try await happens(within: .seconds(5)) { clock.ended.value > 0 }
      check(isOver, "a task still sleeps")
      checkEqual(clock.begun.value, 1, "the number of tasks that slept")
    }
  }
}
