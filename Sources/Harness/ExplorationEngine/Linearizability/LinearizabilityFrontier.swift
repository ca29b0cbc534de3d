/// Follows one partition of a history event by event, with every configuration that explains it so
/// far.
///
/// A *configuration* is the model's state and the open operations that have taken effect. An
/// operation takes effect as late as possible: when it returns, or before another that needs it.
/// ``LinearizabilitySearch`` decides a history faster, because it stops at the first order; only
/// following all of them finds the first return that none explains, and the states before it.
///
/// Read-only operations take effect as soon as their response fits (R1 of the search). Optional
/// operations may take effect or not. Of two configurations that differ only in optional operations,
/// the one in which fewer have taken effect allows everything that the other allows, so the other is
/// dropped.
///
/// Source: Lowe, 'Testing for Linearizability', CCPE 2017, 'just-in-time linearization'.
@usableFromInline
struct LinearizabilityFrontier<Model: SequentialModel> {
  @usableFromInline typealias Operation = History<Model.Command, Model.Response>.Operation

  /// The call or the return of an operation.
  @usableFromInline struct Event {
    @usableFromInline let index: Int
    @usableFromInline let isReturn: Bool

    @inlinable
    init(index: Int, isReturn: Bool) {
      self.index = index
      self.isReturn = isReturn
    }
  }

  /// An explanation of the history so far.
  @usableFromInline struct Configuration {
    @usableFromInline var state: UInt32
    /// The slots of the open operations that have taken effect.
    @usableFromInline var done: SlotSet
    /// The operation that changed the state last, or -1.
    @usableFromInline var latest: Int

    @inlinable
    init(state: UInt32, done: SlotSet, latest: Int) {
      self.state = state
      self.done = done
      self.latest = latest
    }
  }

  /// The most configurations to follow at a time.
  @usableFromInline static var mostConfigurations: Int { 20_000 }

  @usableFromInline let model: Model
  @usableFromInline let operations: [Operation]
  /// The operations whose response need not be explained although they returned.
  @usableFromInline var dropped: Set<Int>
  @usableFromInline var states = InternedStates<Model.State>()
  @usableFromInline var configurations: [Configuration]

  // The open operations. A slot is free again after the return; an optional operation keeps its slot.
  @usableFromInline var slots: [Int: Int] = [:]
  @usableFromInline var freeSlots: [Int] = []
  @usableFromInline var slotCount = 0
  @usableFromInline var reads: [Int] = []
  @usableFromInline var writes: [Int] = []
  @usableFromInline var optional: [Int] = []
  /// The slots of the optional operations.
  @usableFromInline var optionalSlots = SlotSet()
  /// For an optional operation, the one before it with an equal command. It is tried only after that
  /// one (R3 of the search).
  @usableFromInline var equalPredecessor: [Int: Int] = [:]
  @usableFromInline var latestOptional: [Model.Command: Int] = [:]

  /// The responses that the model gave for the operation of the last event, each once.
  @usableFromInline var responses: [Model.Response] = []

  @inlinable
  init(_ model: Model, _ operations: [Operation]) {
    self.model = model
    self.operations = operations
    dropped = []
    let initial = states.number(of: model.initialState)
    configurations = [Configuration(state: initial, done: SlotSet(), latest: -1)]
  }

  /// The calls and returns of the operations with the given indices, in order.
  ///
  /// Intervals are closed, so at equal stamps calls come before returns.
  @inlinable
  static func events(_ operations: [Operation], _ indices: [Int]) -> [Event] {
    var events: [(stamp: Int, event: Event)] = []
    events.reserveCapacity(2 * indices.count)
    for index in indices {
      events.append((operations[index].call, Event(index: index, isReturn: false)))
      if let end = operations[index].end {
        events.append((end, Event(index: index, isReturn: true)))
      }
    }
    events.sort {
      ($0.stamp, $0.event.isReturn ? 1 : 0, $0.event.index)
        < ($1.stamp, $1.event.isReturn ? 1 : 0, $1.event.index)
    }
    return events.map(\.event)
  }

  /// The outcome of following an event.
  @usableFromInline enum Step {
    case possible
    /// No configuration explains the return.
    case impossible
    /// There are too many configurations to follow, or the deadline has passed.
    case undecided
  }

  /// Follows the next event.
  @inlinable
  mutating func follow(_ event: Event, deadline: ContinuousClock.Instant) -> Step {
    if !event.isReturn {
      call(event.index)
      return .possible
    }
    return dropped.contains(event.index) ? .possible : settle(event.index, deadline)
  }

  /// Makes open operations optional.
  @inlinable
  mutating func drop(_ indices: Set<Int>) {
    dropped = indices
    for index in (reads + writes).filter(indices.contains) {
      guard let slot = slots[index], !model.isReadOnly(operations[index].command) else { continue }
      if reads.contains(index) {
        // It took effect with a response that is not required now, and may have another effect.
        for position in configurations.indices { _ = configurations[position].done.remove(slot) }
      }
      addOptional(index, in: slot)
    }
    reads.removeAll(where: indices.contains)
    writes.removeAll(where: indices.contains)
  }

  @inlinable
  mutating func call(_ index: Int) {
    let command = operations[index].command
    var isReadOnly = model.isReadOnly(command)
    var isOptional = true
    if case .returned(let response, _) = operations[index].outcome, !dropped.contains(index) {
      isOptional = false
      isReadOnly = model.isReadOnly(command, returning: response)
    }
    // A read-only operation without a response constrains nothing.
    if isReadOnly, isOptional { return }
    let slot = freeSlots.popLast() ?? slotCount
    slotCount = max(slotCount, slot + 1)
    slots[index] = slot
    if isOptional {
      addOptional(index, in: slot)
    } else if isReadOnly {
      reads.append(index)
      for position in configurations.indices {
        takeReads([index], in: &configurations[position])
      }
    } else {
      writes.append(index)
    }
  }

  @inlinable
  mutating func addOptional(_ index: Int, in slot: Int) {
    optional.append(index)
    optionalSlots.insert(slot)
    equalPredecessor[index] = latestOptional.updateValue(index, forKey: operations[index].command)
  }

  /// Follows the return of an operation, which must have taken effect by now.
  @inlinable
  mutating func settle(_ index: Int, _ deadline: ContinuousClock.Instant) -> Step {
    guard let slot = slots[index] else { return .possible }
    responses = []
    var settled = Antichain()
    var seen = Antichain()
    for var configuration in configurations {
      if configuration.done.remove(slot) {
        settled.insert(configuration, optionalSlots)
      } else {
        seen.insert(configuration, optionalSlots)
      }
    }
    // Breadth first: a configuration with fewer optional operations comes before those that it
    // replaces.
    var position = 0
    while position < seen.list.count {
      let configuration = seen.list[position]
      position += 1
      if position & 0xff == 0, ContinuousClock.now >= deadline { return .undecided }
      if seen.list.count + settled.list.count > Self.mostConfigurations { return .undecided }
      noteResponse(of: index, in: configuration)
      for candidate in writes + optional {
        guard isNext(candidate, in: configuration),
          var reached = after(candidate, from: configuration)
        else { continue }
        if reached.done.remove(slot) {
          settled.insert(reached, optionalSlots)
        } else {
          seen.insert(reached, optionalSlots)
        }
      }
    }
    guard !settled.list.isEmpty else { return .impossible }
    configurations = settled.list
    slots[index] = nil
    freeSlots.append(slot)
    reads.removeAll { $0 == index }
    writes.removeAll { $0 == index }
    return .possible
  }

  /// Whether an open operation has not taken effect, and no earlier one with an equal command has to
  /// be tried instead.
  @inlinable
  func isNext(_ index: Int, in configuration: Configuration) -> Bool {
    guard let slot = slots[index], !configuration.done.contains(slot) else { return false }
    guard let earlier = equalPredecessor[index], let earlierSlot = slots[earlier] else {
      return true
    }
    return configuration.done.contains(earlierSlot)
  }

  /// The configuration after an operation that changes the state, or `nil` if it cannot come next
  /// or, as an optional one, need not.
  @inlinable
  mutating func after(_ index: Int, from before: Configuration) -> Configuration? {
    var state = states.states[Int(before.state)]
    let response = model.apply(operations[index].command, to: &state)
    let isOptional = optionalSlots.contains(slots[index] ?? 0)
    if !isOptional {
      guard case .returned(let recorded, _) = operations[index].outcome, recorded == response else {
        return nil
      }
    }
    var reached = before
    reached.state = states.number(of: state)
    if reached.state != before.state {
      reached.latest = index
    } else if isOptional {
      return nil
    }
    reached.done.insert(slots[index] ?? 0)
    takeReads(reads, in: &reached)
    return reached
  }

  /// Lets open read-only operations whose response fits take effect.
  @inlinable
  func takeReads(_ reads: [Int], in configuration: inout Configuration) {
    for index in reads {
      guard let slot = slots[index], !configuration.done.contains(slot),
        case .returned(let recorded, _) = operations[index].outcome
      else { continue }
      var state = states.states[Int(configuration.state)]
      if model.apply(operations[index].command, to: &state) == recorded {
        configuration.done.insert(slot)
      }
    }
  }

  /// Notes the model's response to an operation, as long as there are few different ones.
  @inlinable
  mutating func noteResponse(of index: Int, in configuration: Configuration) {
    guard responses.count < LinearizabilityExplanation<Model>.most else { return }
    var state = states.states[Int(configuration.state)]
    let response = model.apply(operations[index].command, to: &state)
    if !responses.contains(response) { responses.append(response) }
  }
}

extension LinearizabilityFrontier {
  /// Configurations of which none allows everything that another allows.
  @usableFromInline struct Antichain {
    @usableFromInline var list: [Configuration] = []
    @usableFromInline var known: [Key: [SlotSet]] = [:]

    /// The part of a configuration that must be equal for one to replace another.
    @usableFromInline struct Key: Hashable {
      @usableFromInline let state: UInt32
      @usableFromInline let required: SlotSet

      @inlinable
      init(state: UInt32, required: SlotSet) {
        self.state = state
        self.required = required
      }
    }

    @inlinable init() {}

    /// Adds a configuration unless one allows everything that it allows.
    @inlinable
    mutating func insert(_ configuration: Configuration, _ optional: SlotSet) {
      let key = Key(
        state: configuration.state, required: configuration.done.subtracting(optional))
      let used = configuration.done.intersection(optional)
      if known[key, default: []].contains(where: { $0.isSubset(of: used) }) { return }
      known[key, default: []].append(used)
      list.append(configuration)
    }
  }
}

/// A set of small numbers. Numbers below 64 need no heap storage.
@usableFromInline
struct SlotSet: Hashable, Sendable {
  @usableFromInline var low: UInt64 = 0
  /// The numbers from 64 on, without empty words at the end.
  @usableFromInline var high: [UInt64] = []

  @inlinable init() {}

  @inlinable
  func contains(_ slot: Int) -> Bool {
    if slot < 64 { return low >> UInt64(slot) & 1 == 1 }
    let word = slot / 64 - 1
    return word < high.count && high[word] >> UInt64(slot % 64) & 1 == 1
  }

  @inlinable
  mutating func insert(_ slot: Int) {
    guard slot >= 64 else {
      low |= 1 << UInt64(slot)
      return
    }
    let word = slot / 64 - 1
    while high.count <= word { high.append(0) }
    high[word] |= 1 << UInt64(slot % 64)
  }

  /// - Returns: Whether the set contained the number.
  @inlinable
  mutating func remove(_ slot: Int) -> Bool {
    guard contains(slot) else { return false }
    if slot < 64 {
      low &= ~(1 << UInt64(slot))
    } else {
      high[slot / 64 - 1] &= ~(1 << UInt64(slot % 64))
      trim()
    }
    return true
  }

  @inlinable
  func subtracting(_ other: SlotSet) -> SlotSet {
    var result = self
    result.low &= ~other.low
    for word in high.indices where word < other.high.count {
      result.high[word] &= ~other.high[word]
    }
    result.trim()
    return result
  }

  @inlinable
  func intersection(_ other: SlotSet) -> SlotSet {
    var result = self
    result.low &= other.low
    for word in high.indices {
      result.high[word] &= word < other.high.count ? other.high[word] : 0
    }
    result.trim()
    return result
  }

  @inlinable
  func isSubset(of other: SlotSet) -> Bool {
    low & ~other.low == 0
      && high.indices.allSatisfy {
        high[$0] & ~($0 < other.high.count ? other.high[$0] : 0) == 0
      }
  }

  @inlinable
  mutating func trim() {
    while high.last == 0 { high.removeLast() }
  }
}
