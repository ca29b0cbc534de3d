/// The search for an order of the operations of one partition.
///
/// Wing and Gong's search with Lowe's memo of (operations done, state), and three reductions:
/// a read-only operation that fits is taken without alternatives; a pending operation is skipped
/// where it changes nothing; of pending operations with equal commands only the first is tried.
///
/// Sources: Wing, Gong, 'Testing and Verifying Concurrent Objects', JPDC 1993; Lowe, 'Testing for
/// Linearizability', CCPE 2017.
@usableFromInline
struct LinearizabilitySearch<Model: SequentialModel> {
  @usableFromInline typealias Operation = History<Model.Command, Model.Response>.Operation
  @usableFromInline typealias Reason = LinearizabilityResult<Model.Response>.UnknownReason

  @usableFromInline enum Finding {
    case order([Int])
    case stuck(prefix: [Int])
    case unknown(Reason)
  }

  /// What the search knows of a completed operation.
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

  /// What the search knows of an operation that need not be in the order.
  @usableFromInline struct Optional {
    @usableFromInline let index: Int
    @usableFromInline let command: Model.Command
    /// Whether it may be in the order any number of times; only minimising asks for that.
    @usableFromInline let isRepeatable: Bool
    /// The pending operation before this one with an equal command, or -1.
    @usableFromInline var twin = -1
    @usableFromInline var callRank = 0

    @inlinable
    init(index: Int, command: Model.Command, isRepeatable: Bool) {
      self.index = index
      self.command = command
      self.isRepeatable = isRepeatable
    }
  }

  /// A step that can be taken back.
  @usableFromInline struct Frame {
    /// An index into `completed`, or, from `completed.count` on, into `optional`.
    @usableFromInline let choice: Int
    @usableFromInline let state: UInt32
    @usableFromInline let isForced: Bool
    /// How many repeatable operations stand in a row up to here.
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
  @usableFromInline var optional: [Optional] = []

  // The calls and returns of completed operations that are not in the order yet, as a doubly
  // linked list: a call at its operation's index, a return `completed.count` after it, then the
  // sentinel.
  @usableFromInline var next: [Int32] = []
  @usableFromInline var previous: [Int32] = []

  @usableFromInline var states = InternedStates<Model.State>()
  @usableFromInline var memo = LinearizabilityMemo()
  @usableFromInline var steps = 0

  /// Prepares a search over operations with the given indices.
  ///
  /// - Parameters:
  ///   - dropped: Of the operations, those that are taken as pending, whatever they returned.
  ///   - isRepeatable: Whether those may happen any number of times.
  @inlinable
  init(
    _ model: Model, _ operations: [Operation], indices: [Int], dropped: Set<Int> = [],
    isRepeatable: Bool = false
  ) {
    self.model = model
    for index in indices {
      let operation = operations[index]
      let isReadOnly = model.isReadOnly(operation.command)
      if case .returned(let response, _) = operation.outcome, !dropped.contains(index) {
        completed.append(
          Completed(
            index: index, command: operation.command, response: response, isReadOnly: isReadOnly))
      } else if !isReadOnly {
        optional.append(
          Optional(
            index: index, command: operation.command,
            isRepeatable: isRepeatable && dropped.contains(index)))
      }
    }
    let byCall = { (left: Int, right: Int) in
      (operations[left].call, left) < (operations[right].call, right)
    }
    completed.sort { byCall($0.index, $1.index) }
    optional.sort { byCall($0.index, $1.index) }
    linkTwins()
    linkEvents(operations)
  }

  @inlinable
  mutating func linkTwins() {
    var latest: [Model.Command: Int] = [:]
    var unique: [Optional] = []
    for var candidate in optional {
      if let twin = latest[candidate.command] {
        // An earlier operation that may happen any number of times stands for all later ones.
        if unique[twin].isRepeatable { continue }
        if !candidate.isRepeatable { candidate.twin = twin }
      }
      latest[candidate.command] = unique.count
      unique.append(candidate)
    }
    optional = unique
  }

  @inlinable
  mutating func linkEvents(_ operations: [Operation]) {
    let count = completed.count
    // Stamp, return after call, kind of node, node.
    var events: [(stamp: Int, isReturn: Bool, node: Int)] = []
    events.reserveCapacity(2 * count + optional.count)
    for (node, operation) in completed.enumerated() {
      events.append((operations[operation.index].call, false, node))
      events.append((operations[operation.index].end ?? .max, true, count + node))
    }
    for (node, operation) in optional.enumerated() {
      events.append((operations[operation.index].call, false, 2 * count + 1 + node))
    }
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
        optional[event.node - 2 * count - 1].callRank = rank
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

  /// Searches until an order is found, none is left, or a limit is reached.
  @inlinable
  mutating func run(_ limits: LinearizabilityLimits, deadline: ContinuousClock.Instant) -> Finding {
    let count = completed.count
    let head = 2 * count
    var done = BitWindow(count: count, skipsFull: true)
    var happened = BitWindow(count: optional.count, skipsFull: false)
    var state = states.number(of: model.initialState)
    var stack: [Frame] = []
    var remaining = count
    var best: [Int] = []
    var fewest = Int.max

    // The next candidate: a node of the list, or, once that reached a return, an optional.
    var node = Int(next[head])
    var option = -1
    var isNew = true
    var nextCheck = min(steps + 4096, limits.steps)

    while remaining > 0 {
      if isNew {
        isNew = false
        // Take every read-only operation that fits, until none is left.
        var scan = Int(next[head])
        while scan < count {
          steps += 1
          if completed[scan].isReadOnly {
            var copy = states.states[Int(state)]
            if model.apply(completed[scan].command, to: &copy) == completed[scan].response {
              let before = Int(previous[scan])
              unlink(scan)
              unlink(count + scan)
              done.insert(scan)
              remaining -= 1
              stack.append(Frame(choice: scan, state: state, isForced: true))
              scan = Int(next[before])
              continue
            }
          }
          scan = Int(next[scan])
        }
        if remaining == 0 { break }
        node = Int(next[head])
        option = -1
      }

      if steps >= nextCheck {
        nextCheck = min(steps + 4096, limits.steps)
        if steps > limits.steps { return .unknown(.steps(limits.steps)) }
        if memo.bytes + states.bytes > limits.memory {
          return .unknown(.memory(bytes: limits.memory))
        }
        if ContinuousClock.now >= deadline { return .unknown(.time(limits.time)) }
      }

      var chosen = -1
      var reached = state
      if node < count {
        // A read-only operation that still waits was found not to fit this state.
        if completed[node].isReadOnly {
          node = Int(next[node])
          continue
        }
        steps += 1
        var copy = states.states[Int(state)]
        if model.apply(completed[node].command, to: &copy) == completed[node].response {
          reached = states.number(of: copy)
          done.insert(node)
          if memo.insert(reached, done, happened) {
            chosen = node
          } else {
            done.remove(node)
          }
        }
        if chosen < 0 { node = Int(next[node]) }
      } else {
        // The list is at the first return: nothing that is called later can come before it.
        let bound = node == head ? Int.max : completed[node - count].returnRank
        option += 1
        if option < optional.count, optional[option].callRank < bound {
          steps += 1
          let twin = optional[option].twin
          if !happened.contains(option), twin < 0 || happened.contains(twin) {
            var copy = states.states[Int(state)]
            _ = model.apply(optional[option].command, to: &copy)
            reached = states.number(of: copy)
            if reached != state {
              if !optional[option].isRepeatable { happened.insert(option) }
              if memo.insert(reached, done, happened) {
                chosen = count + option
              } else if !optional[option].isRepeatable {
                happened.remove(option)
              }
            }
          }
        } else {
          // Every candidate failed: take back the last step that had an alternative.
          if remaining < fewest {
            fewest = remaining
            best = stack.map(\.choice)
          }
          var resumed = false
          while let frame = stack.popLast() {
            state = frame.state
            if frame.choice < count {
              relink(count + frame.choice)
              relink(frame.choice)
              done.remove(frame.choice)
              remaining += 1
              if frame.isForced { continue }
              node = Int(next[frame.choice])
              option = -1
            } else {
              option = frame.choice - count
              if !optional[option].isRepeatable { happened.remove(option) }
              node = Int(next[head])
              while node < count { node = Int(next[node]) }
            }
            resumed = true
            break
          }
          if !resumed { return .stuck(prefix: indices(best)) }
        }
        if chosen < 0 { continue }
      }

      guard chosen >= 0 else { continue }
      let isRepeat = chosen >= count && optional[chosen - count].isRepeatable
      let repeats = isRepeat ? (stack.last?.repeats ?? 0) + 1 : 0
      // A model with endless states, such as a queue, would be filled for ever.
      if repeats > optional.count + 8 { return .unknown(.steps(steps)) }
      stack.append(Frame(choice: chosen, state: state, isForced: false, repeats: repeats))
      state = reached
      if chosen < count {
        unlink(chosen)
        unlink(count + chosen)
        remaining -= 1
      }
      isNew = true
    }
    return .order(indices(stack.map(\.choice)))
  }

  @inlinable
  func indices(_ choices: [Int]) -> [Int] {
    choices.map {
      $0 < completed.count ? completed[$0].index : optional[$0 - completed.count].index
    }
  }
}
