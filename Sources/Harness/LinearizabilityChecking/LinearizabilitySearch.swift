public import ExplorationEngine

/// The search for a sequential order of the operations of one partition.
///
/// A *configuration* is the set of completed operations in the order so far, the set of pending
/// operations in it, and the model's state. The search extends the order by one operation at a time
/// and takes the last one back when nothing fits (Wing and Gong). It remembers every configuration
/// that it has entered and never enters one twice, because the possible continuations depend only
/// on the configuration (Lowe). Three reductions make it fast. `LinearizabilityDifferentialTests`
/// compares them with plain enumeration.
///
/// - **R1** A read-only operation whose response fits is appended at once, and no alternative is
///   tried. That is sound because it never changes any state: every order that continues without it
///   also continues with it, and appending it only lifts the bound that its return sets. So is one
///   that is read-only given its response: a compare-and-set that returned `false`. A command that
///   merely leaves *this* state unchanged does not qualify: a compare-and-set whose response is not
///   known may fail now and succeed later.
/// - **R2** A pending operation that leaves the state unchanged is skipped. It has no response to
///   explain and may happen later or never, so the order without it allows at least as much.
/// - **R3** Of the pending operations with equal commands, only the one called first is tried. In
///   any order that uses a later one instead, the two can be exchanged: the earlier one may happen
///   whenever the later one may, and has the same effect.
///
/// The members are inlinable, so that the search is specialised for the model in the model's
/// module.
///
/// Sources: Wing, Gong, 'Testing and Verifying Concurrent Objects', JPDC 1993; Lowe, 'Testing for
/// Linearizability', CCPE 2017.
@usableFromInline
struct LinearizabilitySearch<Model: SequentialModel> {
  @usableFromInline typealias Operation = History<Model.Command, Model.Response>.Operation
  @usableFromInline typealias Reason = LinearizabilityResult<Model.Response>.UnknownReason

  /// The result of a search.
  @usableFromInline enum Finding {
    case order([Int])
    case stuck(prefix: [Int])
    case unknown(Reason)
  }

  /// An operation that returned, so its response must be explained.
  @usableFromInline struct Completed {
    @usableFromInline let index: Int
    @usableFromInline let command: Model.Command
    @usableFromInline let response: Model.Response
    @usableFromInline let isReadOnly: Bool
    @usableFromInline var callRank = 0
    @usableFromInline var returnRank = 0

    @inlinable
    init(index: Int, command: Model.Command, response: Model.Response, isReadOnly: Bool) {
      self.index = index
      self.command = command
      self.response = response
      self.isReadOnly = isReadOnly
    }
  }

  /// An operation that may be in the order or not.
  @usableFromInline struct Pending {
    @usableFromInline let index: Int
    @usableFromInline let command: Model.Command
    /// Whether it may be in the order any number of times; only a minimization needs that.
    @usableFromInline let isRepeatable: Bool
    /// The previous pending operation with an equal command, or -1. R3 tries this one only after
    /// that.
    @usableFromInline var equalPredecessor = -1
    @usableFromInline var callRank = 0

    @inlinable
    init(index: Int, command: Model.Command, isRepeatable: Bool) {
      self.index = index
      self.command = command
      self.isRepeatable = isRepeatable
    }
  }

  /// An operation in the order, with what is needed to take it back.
  @usableFromInline struct Frame {
    /// An index into `completed`, or, from `completed.count` on, into `pending`.
    @usableFromInline let choice: Int
    /// The state before the operation.
    @usableFromInline let state: UInt32
    /// Whether R1 appended it, so that there is no alternative to it.
    @usableFromInline let isForced: Bool
    /// The number of repeatable operations in a row up to here.
    @usableFromInline let repeats: Int

    @inlinable
    init(choice: Int, state: UInt32, isForced: Bool, repeats: Int = 0) {
      self.choice = choice
      self.state = state
      self.isForced = isForced
      self.repeats = repeats
    }
  }

  @usableFromInline let model: Model
  @usableFromInline var completed: [Completed] = []
  @usableFromInline var pending: [Pending] = []

  // The calls and returns of the completed operations that are not in the order, as a doubly linked
  // list in the order of their stamps. An operation's call is the node with its index, its return
  // the node `completed.count` after that, and the last node is the sentinel. The calls before the
  // first return are the operations that can come next.
  @usableFromInline var next: [Int32] = []
  @usableFromInline var previous: [Int32] = []

  @usableFromInline var states = InternedStates<Model.State>()
  @usableFromInline var memo = LinearizabilityMemo()
  @usableFromInline var steps = 0

  // The current configuration, and the operations that led to it.
  @usableFromInline var done: BitWindow
  @usableFromInline var happened: BitWindow
  @usableFromInline var state: UInt32
  @usableFromInline var order: [Frame] = []
  @usableFromInline var remaining: Int

  // The next candidate of the configuration: a node of the list, or, when that has reached a
  // return, the pending operation after `option`.
  @usableFromInline var node = 0
  @usableFromInline var option = -1

  // The longest order found, which explains a violation.
  @usableFromInline var longest: [Int] = []
  @usableFromInline var fewestRemaining = Int.max

  /// Prepares a search over operations with the given indices.
  ///
  /// - Parameters:
  ///   - model: The model that explains the responses.
  ///   - operations: The operations of the whole history.
  ///   - indices: The operations to order.
  ///   - dropped: The operations of them that count as pending, whatever they returned.
  ///   - isRepeatable: Whether the dropped operations may happen any number of times.
  @inlinable
  init(
    _ model: Model, _ operations: [Operation], indices: [Int], dropped: Set<Int> = [],
    isRepeatable: Bool = false
  ) {
    self.model = model
    for index in indices {
      let operation = operations[index]
      if case .returned(let response, _) = operation.outcome, !dropped.contains(index) {
        completed.append(
          Completed(
            index: index, command: operation.command, response: response,
            isReadOnly: model.isReadOnly(operation.command, returning: response)))
      } else if !model.isReadOnly(operation.command) {
        // A read-only operation without a response constrains nothing.
        pending.append(
          Pending(
            index: index, command: operation.command,
            isRepeatable: isRepeatable && dropped.contains(index)))
      }
    }
    let byCall = { (left: Int, right: Int) in
      (operations[left].call, left) < (operations[right].call, right)
    }
    completed.sort { byCall($0.index, $1.index) }
    pending.sort { byCall($0.index, $1.index) }
    done = BitWindow(count: 0, skipsFull: true)
    happened = BitWindow(count: 0, skipsFull: false)
    state = states.number(of: model.initialState)
    remaining = completed.count
    linkEqualCommands()
    linkEvents(operations)
    done = BitWindow(count: completed.count, skipsFull: true)
    happened = BitWindow(count: pending.count, skipsFull: false)
  }

  @inlinable
  mutating func linkEqualCommands() {
    var latest: [Model.Command: Int] = [:]
    var unique: [Pending] = []
    for var candidate in pending {
      if let predecessor = latest[candidate.command] {
        // A repeatable operation replaces every later one with an equal command.
        if unique[predecessor].isRepeatable { continue }
        if !candidate.isRepeatable { candidate.equalPredecessor = predecessor }
      }
      latest[candidate.command] = unique.count
      unique.append(candidate)
    }
    pending = unique
  }

  @inlinable
  mutating func linkEvents(_ operations: [Operation]) {
    let count = completed.count
    // Nodes from 2 * count + 1 on stand for pending operations, which have a rank but no list node.
    var events: [(stamp: Int, isReturn: Bool, node: Int)] = []
    events.reserveCapacity(2 * count + pending.count)
    for (node, operation) in completed.enumerated() {
      events.append((operations[operation.index].call, false, node))
      events.append((operations[operation.index].end ?? .max, true, count + node))
    }
    for (node, operation) in pending.enumerated() {
      events.append((operations[operation.index].call, false, 2 * count + 1 + node))
    }
    // Intervals are closed, so at equal stamps calls come before returns.
    events.sort {
      $0.stamp != $1.stamp
        ? $0.stamp < $1.stamp
        : $0.isReturn != $1.isReturn ? $1.isReturn : $0.node < $1.node
    }
    let head = Int32(2 * count)
    next = Array(repeating: head, count: 2 * count + 1)
    previous = Array(repeating: head, count: 2 * count + 1)
    var last = head
    for (rank, event) in events.enumerated() {
      if event.node > 2 * count {
        pending[event.node - 2 * count - 1].callRank = rank
        continue
      }
      if event.isReturn {
        completed[event.node - count].returnRank = rank
      } else {
        completed[event.node].callRank = rank
      }
      next[Int(last)] = Int32(event.node)
      previous[event.node] = last
      last = Int32(event.node)
    }
    next[Int(last)] = head
    previous[Int(head)] = last
  }

  // MARK: - Searching

  /// Searches until an order is found, none is left, or a limit is reached.
  @inlinable
  mutating func run(_ limits: LinearizabilityLimits, deadline: ContinuousClock.Instant) -> Finding {
    var nextCheck = min(steps + 4096, limits.steps)
    enterConfiguration()
    while remaining > 0 {
      // Reading the clock at every step would cost more than the step.
      if steps >= nextCheck {
        nextCheck = min(steps + 4096, limits.steps)
        if let reason = exceeded(limits, deadline) { return .unknown(reason) }
      }
      let count = completed.count
      if node < count {
        if let reached = stateAfterCompleted(node) {
          append(node, reaching: reached)
        } else {
          node = Int(next[node])
        }
      } else if hasNextOption() {
        if let reached = stateAfterPending(option) {
          // A model with infinitely many states, such as a queue, would never finish.
          guard appendPending(option, reaching: reached) else { return .unknown(.steps(steps)) }
        }
      } else if !backtrack() {
        return .stuck(prefix: indices(longest))
      }
    }
    return .order(indices(order.map(\.choice)))
  }

  @inlinable
  func exceeded(_ limits: LinearizabilityLimits, _ deadline: ContinuousClock.Instant) -> Reason? {
    if steps > limits.steps { return .steps(limits.steps) }
    if memo.bytes + states.bytes > limits.memory { return .memory(bytes: limits.memory) }
    return ContinuousClock.now >= deadline ? .time(limits.time) : nil
  }

  /// Appends every read-only operation that fits (R1), and starts over with the first candidate.
  @inlinable
  mutating func enterConfiguration() {
    let count = completed.count
    let head = 2 * count
    var scan = Int(next[head])
    while scan < count {
      steps += 1
      if completed[scan].isReadOnly {
        var copy = states.states[Int(state)]
        if model.apply(completed[scan].command, to: &copy) == completed[scan].response {
          let before = Int(previous[scan])
          remove(scan)
          done.insert(scan)
          order.append(Frame(choice: scan, state: state, isForced: true))
          // Its return may have been the first, so that more calls can follow.
          scan = Int(next[before])
          continue
        }
      }
      scan = Int(next[scan])
    }
    node = Int(next[head])
    option = -1
  }

  /// The state after a completed operation, or `nil` if the operation cannot come next.
  @inlinable
  mutating func stateAfterCompleted(_ node: Int) -> UInt32? {
    // A read-only operation that is still here does not fit this state, by R1.
    if completed[node].isReadOnly { return nil }
    steps += 1
    var copy = states.states[Int(state)]
    guard model.apply(completed[node].command, to: &copy) == completed[node].response else {
      return nil
    }
    let reached = states.number(of: copy)
    done.insert(node)
    if memo.insert(reached, done, happened) { return reached }
    done.remove(node)
    return nil
  }

  /// Moves to the next pending operation that can come next.
  ///
  /// The list has reached the first return: an operation that is called after it cannot come before
  /// it.
  @inlinable
  mutating func hasNextOption() -> Bool {
    let count = completed.count
    let bound = node == 2 * count ? Int.max : completed[node - count].returnRank
    option += 1
    return option < pending.count && pending[option].callRank < bound
  }

  /// The state after a pending operation, or `nil` if it need not be tried.
  @inlinable
  mutating func stateAfterPending(_ option: Int) -> UInt32? {
    steps += 1
    let predecessor = pending[option].equalPredecessor
    guard !happened.contains(option), predecessor < 0 || happened.contains(predecessor) else {
      return nil
    }
    var copy = states.states[Int(state)]
    _ = model.apply(pending[option].command, to: &copy)
    let reached = states.number(of: copy)
    guard reached != state else { return nil }
    let isRepeatable = pending[option].isRepeatable
    if !isRepeatable { happened.insert(option) }
    if memo.insert(reached, done, happened) { return reached }
    if !isRepeatable { happened.remove(option) }
    return nil
  }

  @inlinable
  mutating func append(_ node: Int, reaching reached: UInt32) {
    order.append(Frame(choice: node, state: state, isForced: false))
    state = reached
    remove(node)
    enterConfiguration()
  }

  /// - Returns: `false` if too many repeatable operations follow each other.
  @inlinable
  mutating func appendPending(_ option: Int, reaching reached: UInt32) -> Bool {
    let repeats = pending[option].isRepeatable ? (order.last?.repeats ?? 0) + 1 : 0
    guard repeats <= pending.count + 8 else { return false }
    order.append(
      Frame(choice: completed.count + option, state: state, isForced: false, repeats: repeats))
    state = reached
    enterConfiguration()
    return true
  }

  /// Takes back the last operation that has an alternative, and moves to that alternative.
  ///
  /// - Returns: `false` if there is none.
  @inlinable
  mutating func backtrack() -> Bool {
    let count = completed.count
    if remaining < fewestRemaining {
      fewestRemaining = remaining
      longest = order.map(\.choice)
    }
    while let frame = order.popLast() {
      state = frame.state
      guard frame.choice < count else {
        option = frame.choice - count
        if !pending[option].isRepeatable { happened.remove(option) }
        node = Int(next[2 * count])
        while node < count { node = Int(next[node]) }
        return true
      }
      restore(frame.choice)
      done.remove(frame.choice)
      if frame.isForced { continue }
      node = Int(next[frame.choice])
      option = -1
      return true
    }
    return false
  }

  // MARK: - The list

  /// Removes a completed operation's call and return.
  @inlinable
  mutating func remove(_ node: Int) {
    unlink(node)
    unlink(completed.count + node)
    remaining -= 1
  }

  /// Undoes the last removal. Nodes must be restored in the reverse order of their removal.
  @inlinable
  mutating func restore(_ node: Int) {
    relink(completed.count + node)
    relink(node)
    remaining += 1
  }

  @inlinable
  mutating func unlink(_ node: Int) {
    next[Int(previous[node])] = next[node]
    previous[Int(next[node])] = previous[node]
  }

  @inlinable
  mutating func relink(_ node: Int) {
    next[Int(previous[node])] = Int32(node)
    previous[Int(next[node])] = Int32(node)
  }

  /// The operations' indices in the history.
  @inlinable
  func indices(_ choices: [Int]) -> [Int] {
    choices.map {
      $0 < completed.count ? completed[$0].index : pending[$0 - completed.count].index
    }
  }
}
