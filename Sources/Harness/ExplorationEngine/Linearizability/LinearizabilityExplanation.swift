/// Why a history is not linearizable: one operation, the states before it, and what overlaps it.
///
/// The operation is the first at whose return no order explains the responses, those of operations
/// that are still open included. The operations that
/// returned before its call leave one of ``states``; an operation that overlaps it may have taken
/// effect there already. No order of ``overlapping`` after those gives the operation its response,
/// even if every other operation that overlaps it may happen or not.
public struct LinearizabilityExplanation<Model: SequentialModel>: Sendable {
  /// A state that a correct subject may be in.
  public struct Start: Sendable {
    /// The state.
    public let state: Model.State
    /// The operation that changed the state last in one such order, as an index into the history,
    /// or `nil` if none did.
    public let latest: Int?

    @usableFromInline
    init(state: Model.State, latest: Int?) {
      self.state = state
      self.latest = latest
    }
  }

  /// The operation without an explanation, as an index into the history.
  public let operation: Int

  /// The responses that the model gives in its place, each once, at most ``most``.
  public let expected: [Model.Response]

  /// The number of operations of its partition that returned before it was called.
  public let settled: Int

  /// The states that those operations can leave, at most ``most``.
  public let states: [Start]

  /// The number of states that those operations can leave.
  public let stateCount: Int

  /// The operation and those that it needs to be without an explanation, by call, as indices into
  /// the history.
  public let overlapping: [Int]

  /// The number of other operations that overlap it. They make no difference.
  public let others: Int

  /// The most elements of ``expected`` and ``states``.
  public static var most: Int { 8 }

  @usableFromInline
  init(
    operation: Int, expected: [Model.Response], settled: Int, states: [Start], stateCount: Int,
    overlapping: [Int], others: Int
  ) {
    self.operation = operation
    self.expected = expected
    self.settled = settled
    self.states = states
    self.stateCount = stateCount
    self.overlapping = overlapping
    self.others = others
  }
}

extension LinearizabilityChecker {
  /// Explains why a history is not linearizable.
  ///
  /// It follows every order up to the operation, so it needs more memory than ``check(_:)`` where many
  /// operations overlap.
  ///
  /// - Parameters:
  ///   - history: A history.
  ///   - violation: The result of ``check(_:)`` on it.
  ///   - time: The time after which the search gives up.
  /// - Returns: The explanation, or `nil` if none is found within the time and 20,000 orders at a
  ///   time.
  @inlinable
  public func explanation(
    of history: History<Model.Command, Model.Response>,
    _ violation: LinearizabilityViolation<Model.Response>, within time: Duration = .seconds(2)
  ) -> LinearizabilityExplanation<Model>? {
    let deadline = ContinuousClock.now.advanced(by: time)
    let operations = history.operations
    let events = LinearizabilityFrontier<Model>.events(operations, violation.partition)
    // The first pass finds the operation, the second the configurations at its call. To keep those of
    // every call would need much memory.
    var frontier = LinearizabilityFrontier(model, operations)
    var end = 0
    search: while end < events.count {
      if ContinuousClock.now >= deadline { return nil }
      switch frontier.follow(events[end], deadline: deadline) {
      case .possible: end += 1
      case .impossible: break search
      case .undecided: return nil
      }
    }
    guard end < events.count else { return nil }
    let operation = events[end].index
    let expected = frontier.responses
    frontier = LinearizabilityFrontier(model, operations)
    var start = 0
    while events[start].index != operation {
      guard case .possible = frontier.follow(events[start], deadline: deadline) else { return nil }
      start += 1
    }
    let window = Array(events[start...end])
    let open = frontier.reads + frontier.writes
    let called = window.filter { !$0.isReturn && operations[$0.index].end != nil }.map(\.index)
    let all = (open + called).filter { $0 != operation }
    let kept = smallest(all, deadline) { kept in
      var copy = frontier
      copy.drop(Set(all).subtracting(kept))
      for event in window {
        switch copy.follow(event, deadline: deadline) {
        case .possible: continue
        case .impossible: return true
        case .undecided: return false
        }
      }
      return false
    }
    let starts = Self.starts(of: frontier)
    return LinearizabilityExplanation(
      operation: operation, expected: expected,
      settled: events[..<start].count(where: \.isReturn),
      states: Array(starts.prefix(LinearizabilityExplanation<Model>.most)),
      stateCount: starts.count,
      overlapping: ([operation] + kept).sorted { operations[$0].call < operations[$1].call },
      others: all.count - kept.count)
  }

  /// The states of a frontier's configurations, each once.
  @inlinable
  static func starts(
    of frontier: LinearizabilityFrontier<Model>
  ) -> [LinearizabilityExplanation<Model>.Start] {
    var seen: Set<UInt32> = []
    return frontier.configurations.filter { seen.insert($0.state).inserted }.map {
      .init(
        state: frontier.states.states[Int($0.state)], latest: $0.latest < 0 ? nil : $0.latest)
    }
  }

  /// A small part of a list that still has a property which the whole list has.
  ///
  /// - Parameters:
  ///   - list: The list.
  ///   - deadline: When to return the smallest part so far.
  ///   - holds: Whether a part has the property.
  /// - Returns: A part from which no single element can be removed, unless the deadline passed.
  @usableFromInline
  func smallest(
    _ list: [Int], _ deadline: ContinuousClock.Instant, while holds: ([Int]) -> Bool
  ) -> [Int] {
    var kept = list
    var size = kept.count
    while size > 0, ContinuousClock.now < deadline {
      var isSmaller = false
      var end = kept.count
      while end > 0, ContinuousClock.now < deadline {
        let start = max(end - size, 0)
        var fewer = kept
        fewer.removeSubrange(start..<end)
        if holds(fewer) {
          kept = fewer
          isSmaller = true
        }
        end = start
      }
      if !isSmaller || size > 1 { size /= 2 }
      size = min(size, kept.count)
    }
    return kept
  }
}
