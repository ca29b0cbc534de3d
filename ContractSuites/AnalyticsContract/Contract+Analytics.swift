import AnalyticsPort
public import ContractTesting
import Foundation
import SystemLocks
import Testing

import struct Synchronization.Atomic

extension Contract<AnalyticsFixture> {
  /// What every tracker promises.
  public static let analytics = Contract("analytics", "Analytics") {
    Clause("order", "events arrive in the order in which they were reported") { fixture in
      let events = (0..<100).map { AnalyticsEvent("event \($0)", action: "\($0 % 3)") }
      for event in events { fixture.tracker.track(event.category, action: event.action) }
      let arrivals = try await fixture.arrivals()
      #expect(arrivals == events)
    }
    Clause("verbatim", "category and action arrive octet for octet") { fixture in
      let texts = ["", " a\tb\n", "e\u{301}", "\u{e9}", "👩‍👩‍👧", "a\u{0}b", "\u{feff}日本", "%41&=\"'"]
      for text in texts { fixture.tracker.track(text, action: text) }
      let expected = texts.map { AnalyticsEvent($0, action: $0) }
      let arrivals = try await fixture.arrivals()
      #expect(arrivals == expected, "a text was changed on its way")
    }
    Clause("default-action", "an event without an action is one whose action is nil") { fixture in
      fixture.tracker.track("song")
      fixture.tracker.track("song", action: nil)
      fixture.tracker.track("song", action: "")
      let expected = [nil, nil, ""].map { AnalyticsEvent("song", action: $0) }
      let arrivals = try await fixture.arrivals()
      #expect(arrivals == expected, "nil is not what nothing means")
    }
    Clause("nothing-lost", "events of eight threads all arrive, each thread's in order") {
      fixture in
      await onThreads(8) { writer in
        for number in 0..<50 { fixture.tracker.track("\(writer)", action: "\(number)") }
      }
      let arrivals = try await fixture.arrivals()
      #expect(arrivals.count == 8 * 50, "an event was lost, or arrived twice")
      for writer in 0..<8 {
        let numbers = arrivals.filter { $0.category == "\(writer)" }.map(\.action)
        #expect(numbers == (0..<50).map { "\($0)" }, "the events of a thread are in disorder")
      }
    }
    Clause("nothing-invented", "nothing arrives that was not reported, and nothing is merged") {
      fixture in
      let first = try await fixture.arrivals()
      #expect(first.isEmpty, "there was an event before the first")
      for _ in 1...2 { fixture.tracker.track("song", action: "save") }
      let expected = Array(repeating: AnalyticsEvent("song", action: "save"), count: 2)
      let arrivals = try await fixture.arrivals()
      #expect(arrivals == expected)
    }
  } saboteurs: {
    Saboteur("newest-first", "puts events in front", caughtBy: "order") {
      .sabotaged { log, event in log.insert(event, at: 0) }
    }
    Saboteur("trims", "tidies texts up", caughtBy: "verbatim", saying: "changed on its way") {
      .sabotaged { log, event in
        log.append(AnalyticsEvent(event.category.lowercased().filter { $0 != "\u{0}" }))
      }
    }
    Saboteur("normalises", "writes é in one way", caughtBy: "verbatim") {
      .sabotaged { log, event in
        let category = event.category == "\u{e9}" ? "\u{e9}" : event.category
        log.append(AnalyticsEvent(category, action: event.action))
      }
    }
    Saboteur(
      "empty-for-nil", "reports a missing action as an empty one", caughtBy: "default-action",
      saying: "nil is not"
    ) {
      .sabotaged { log, event in
        log.append(AnalyticsEvent(event.category, action: event.action ?? ""))
      }
    }
    Saboteur(
      "drops-when-busy", "drops an event while it is busy with another", caughtBy: "nothing-lost",
      saying: "an event was lost"
    ) {
      let tracker = BusyTracker()
      return AnalyticsFixture(tracker: tracker) { tracker.events }
    }
    Saboteur("greets", "reports its own start", caughtBy: "nothing-invented", saying: "before the")
    {
      .sabotaged([AnalyticsEvent("session", action: "start")]) { $0.append($1) }
    }
    Saboteur("merges", "reports a repeated event once", caughtBy: "nothing-invented") {
      .sabotaged { log, event in if log.last != event { log.append(event) } }
    }
  }
}

extension AnalyticsFixture {
  /// A fixture whose tracker keeps its log in a way of its own.
  fileprivate static func sabotaged(
    _ log: [AnalyticsEvent] = [],
    _ append: @escaping @Sendable (inout [AnalyticsEvent], AnalyticsEvent) -> Void
  ) -> AnalyticsFixture {
    let tracker = SabotagedTracker(log, append)
    return AnalyticsFixture(tracker: tracker) { tracker.events }
  }
}

private final class SabotagedTracker: AnalyticsTracking {
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

/// Drops what comes while it is busy, and stays busy until that has happened once.
///
/// Sound as `@unchecked Sendable`: `log` is read and written under `lock`.
private final class BusyTracker: AnalyticsTracking, @unchecked Sendable {
  private let lock = NSLock()
  private var log: [AnalyticsEvent] = []
  private let hasDropped = Atomic(false)

  func track(_ category: String, action: String?) {
    guard lock.try() else { return hasDropped.store(true, ordering: .releasing) }
    defer { lock.unlock() }
    while !hasDropped.load(ordering: .acquiring) {}
    log.append(AnalyticsEvent(category, action: action))
  }

  var events: [AnalyticsEvent] { lock.withLock { log } }
}
