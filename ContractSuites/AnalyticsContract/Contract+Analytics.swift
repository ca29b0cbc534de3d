import AnalyticsPort
public import ContractTesting
import Foundation
import SystemLocks
import SystemThreads
import Testing

extension Contract<AnalyticsFixture> {
  /// The behaviour of every tracker.
  public static let analytics: Self = Contract("analytics", "Analytics") {
    Clause("order", "events arrive in the order of the calls") { fixture in
      let events = (0..<100).map { AnalyticsEvent("event \($0)", action: "\($0 % 3)") }
      for event in events { fixture.tracker.track(event.category, action: event.action) }
      let arrivals = try await fixture.arrivals()
      #expect(arrivals.isSame(as: events))
    }
    Clause("verbatim", "category and action arrive with unchanged bytes") { fixture in
      let texts = ["", " a\tb\n", "e\u{301}", "\u{e9}", "👩‍👩‍👧", "a\u{0}b", "\u{feff}日本", "%41&=\"'"]
      for text in texts { fixture.tracker.track(text, action: text) }
      let expected = texts.map { AnalyticsEvent($0, action: $0) }
      let arrivals = try await fixture.arrivals()
      #expect(arrivals.isSame(as: expected), "a string was changed")
    }
    Clause("default-action", "an omitted action is nil, and nil differs from an empty action") {
      fixture in
      fixture.tracker.track("song")
      fixture.tracker.track("song", action: nil)
      fixture.tracker.track("song", action: "")
      let expected = [nil, nil, ""].map { AnalyticsEvent("song", action: $0) }
      let arrivals = try await fixture.arrivals()
      #expect(arrivals.isSame(as: expected), "an omitted action did not arrive as nil")
    }
    Clause("nothing-lost", "all events of eight threads arrive, in order for each thread") {
      fixture in
      await onThreads(8) { writer in
        for number in 0..<50 { fixture.tracker.track("\(writer)", action: "\(number)") }
      }
      let arrivals = try await fixture.arrivals()
      #expect(arrivals.count == 8 * 50, "an event was lost or arrived twice")
      for writer in 0..<8 {
        let numbers = arrivals.filter { $0.category == "\(writer)" }.map(\.action)
        #expect(
          numbers == (0..<50).map { "\($0)" }, "the events of thread \(writer) are out of order")
      }
    }
    Clause("nothing-invented", "only tracked events arrive, and equal events are not merged") {
      fixture in
      let first = try await fixture.arrivals()
      #expect(first.isEmpty, "an event arrived before the first call")
      for _ in 1...2 { fixture.tracker.track("song", action: "save") }
      let expected = Array(repeating: AnalyticsEvent("song", action: "save"), count: 2)
      let arrivals = try await fixture.arrivals()
      #expect(arrivals.isSame(as: expected))
    }
    Clause(
      "told-apart", "arrived events are equal if their strings have the same bytes, or else not"
    ) { fixture in
      let categories = ["song", "e\u{301}", "\u{e9}"]
      let actions = [nil, "", "e\u{301}", "\u{e9}"]
      for (category, action) in categories.flatMap({ name in actions.map { (name, $0) } }) {
        for _ in 1...2 { fixture.tracker.track(category, action: action) }
      }
      let arrivals = try await fixture.arrivals()
      try #require(arrivals.count == 2 * categories.count * actions.count)
      for (first, event) in arrivals.enumerated() {
        let equals = arrivals.indices.filter { arrivals[$0] == event }
        let twin = first - first % 2
        #expect(equals == [twin, twin + 1], "event \(first) equals the events \(equals)")
      }
    }
  } saboteurs: {
    Saboteur("overtakes", "stores an event before the previous one", caughtBy: "order") {
      .flawed { log, event in log.insert(event, at: log.count == 50 ? 49 : log.count) }
    }
    Saboteur("trims", "removes NUL", caughtBy: "verbatim", saying: "string was changed") {
      .flawed { log, event in
        log.append(
          AnalyticsEvent(event.category.filter { $0 != "\u{0}" }, action: event.action))
      }
    }
    Saboteur(
      "normalises", "replaces a decomposed é with the composed one", caughtBy: "verbatim",
      "told-apart"
    ) {
      .flawed { log, event in
        let category = event.category == "\u{e9}" ? "\u{e9}" : event.category
        log.append(AnalyticsEvent(category, action: event.action))
      }
    }
    Saboteur(
      "empty-for-nil", "replaces a missing action with an empty one", caughtBy: "default-action",
      saying: "as nil"
    ) {
      .flawed { log, event in
        log.append(AnalyticsEvent(event.category, action: event.action ?? ""))
      }
    }
    Saboteur(
      "one-thread", "drops the first event of a second thread", caughtBy: "nothing-lost",
      saying: "an event was lost"
    ) {
      let threads = Mutex<[Thread]>([])
      return .flawed { log, event in
        let isSecond = threads.withLock { threads in
          if !threads.contains(.current) { threads.append(.current) }
          return threads.count == 2
        }
        if !isSecond { log.append(event) }
      }
    }
    Saboteur(
      "greets", "tracks its start until the first call", caughtBy: "nothing-invented",
      saying: "before the first call"
    ) {
      let start = AnalyticsEvent("session", action: "start")
      return .flawed([start]) { log, event in log = log == [start] ? [event] : log + [event] }
    }
    Saboteur("merges", "tracks a repeated event once", caughtBy: "nothing-invented") {
      .flawed { log, event in if log.last != event { log.append(event) } }
    }
  }
}

extension [AnalyticsEvent] {
  /// Whether the events have the same strings, to the byte.
  ///
  /// The contract does not use the port's own `==`, which it has to judge as well.
  fileprivate func isSame(as other: [AnalyticsEvent]) -> Bool {
    func bytes(_ event: AnalyticsEvent) -> [[UInt8]?] {
      [[UInt8](event.category.utf8), event.action.map { [UInt8]($0.utf8) }]
    }
    return map(bytes) == other.map(bytes)
  }
}

extension AnalyticsFixture {
  /// Creates a fixture with a tracker that stores events with a closure.
  fileprivate static func flawed(
    _ log: [AnalyticsEvent] = [],
    _ append: @escaping @Sendable (inout [AnalyticsEvent], AnalyticsEvent) -> Void
  ) -> AnalyticsFixture {
    let tracker = FlawedTracker(log, append)
    return AnalyticsFixture(tracker: tracker) { tracker.events }
  }
}

private final class FlawedTracker: AnalyticsTracking {
  private let log: Mutex<[AnalyticsEvent]>
  private let append: @Sendable (inout [AnalyticsEvent], AnalyticsEvent) -> Void

  init(
    _ log: [AnalyticsEvent],
    _ append: @escaping @Sendable (inout [AnalyticsEvent], AnalyticsEvent) -> Void
  ) {
    self.log = Mutex(log)
    self.append = append
  }

  func track(_ category: String, action: String?) {
    log.withLock { append(&$0, AnalyticsEvent(category, action: action)) }
  }

  var events: [AnalyticsEvent] { log.withLock(\.self) }
}
