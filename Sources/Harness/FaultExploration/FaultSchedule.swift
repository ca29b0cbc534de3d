internal import ExplorationEngine
import SeededRandom

/// The order in which the steps of a run may begin.
struct FaultSchedule<Spec: Specification> {
  typealias Step = FaultStep<Spec.Command, Spec.Subject>

  /// A step that has begun.
  struct Item {
    var step: Step
    var position: Int
    /// The fault that strikes or is healed.
    var fault: Fault<Spec.Subject>? {
      switch step {
      case .call: nil
      case .fault(let fault), .healing(let fault): fault
      }
    }
    var faultName: String? { fault?.name }
    var isHealing: Bool {
      if case .healing = step { return true }
      return false
    }
    /// The index of the worker of a call; `nil` for a fault.
    var worker: Int? {
      if case .call(_, let client) = step { return client }
      return nil
    }
  }

  private enum Status {
    case waiting
    case running
    case ended
  }

  /// The faults that have struck and must be healed.
  private(set) var lasting: [Fault<Spec.Subject>] = []

  /// When the next fault strikes, if nothing else holds it back.
  private(set) var due: ContinuousClock.Instant?

  private let steps: [Step]
  /// How many calls may begin between a fault's start and its end; `nil` if steps don't overlap.
  private let overlap: Int?
  private var statuses: [Status]
  private var random: SplitMix64

  init(_ steps: [Step], isSequential: Bool, seed: UInt64) {
    self.steps = steps
    let clients = Set(steps.compactMap { Item(step: $0, position: 0).worker })
    overlap = isSequential ? nil : clients.count
    statuses = steps.map { _ in .waiting }
    random = SplitMix64(seed: seed)
  }

  /// Returns a step that may begin, and counts it as begun.
  mutating func next(at now: ContinuousClock.Instant) -> Item? {
    for position in steps.indices where statuses[position] == .waiting {
      let item = Item(step: steps[position], position: position)
      guard mayBegin(item) else {
        if overlap == nil { return nil }
        continue
      }
      if item.fault != nil, overlap != nil {
        // A fault strikes in the middle of calls: some time after they began.
        if due == nil { due = now + .microseconds(Int64.random(in: 0...2_000, using: &random)) }
        guard let due, due <= now else { continue }
        self.due = nil
      }
      statuses[position] = .running
      return item
    }
    return nil
  }

  /// Counts a step as ended.
  mutating func end(_ item: Item) {
    statuses[item.position] = .ended
    guard let fault = item.fault, fault.heal != nil else { return }
    lasting.removeAll { $0.name == fault.name }
    if !item.isHealing { lasting.append(fault) }
  }

  private func mayBegin(_ item: Item) -> Bool {
    let before = steps[..<item.position].indices
    guard let overlap else { return before.allSatisfy { statuses[$0] == .ended } }
    guard let client = item.worker else {
      return before.allSatisfy {
        statuses[$0] == .ended || steps[$0].isCall && statuses[$0] == .running
      }
    }
    // The same client's calls, and faults so far back that they must be over.
    var calls = 0
    for position in before.reversed() {
      if case .call(_, let other) = steps[position] {
        calls += 1
        if other == client, statuses[position] != .ended { return false }
      } else if calls >= overlap, statuses[position] != .ended {
        return false
      }
    }
    return true
  }
}
