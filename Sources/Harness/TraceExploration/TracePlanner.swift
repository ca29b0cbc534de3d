package import ExplorationEngine
internal import LockStepExploration

/// Chooses few commands whose answers tell much: each list covers a transition of the model that no
/// list before it covers.
///
/// It asks the model only, so choosing costs no live call. Equal seeds give equal lists.
package struct TracePlanner<Spec: Specification>: Sendable {
  /// Commands, and what they cover that no list before them does.
  package struct Plan: Sendable {
    package var commands: [Spec.Command]
    package var covers: [String]
  }

  private typealias Feature = TraceCoverage<Spec>.Feature

  private let specification: Spec
  private let settings: ExplorationSettings

  package init(_ specification: Spec, settings: ExplorationSettings) {
    self.specification = specification
    self.settings = settings
  }

  /// Chooses lists of commands. It takes long: call it on a thread of its own.
  ///
  /// - Parameters:
  ///   - kept: Lists that were chosen before. They come first and are not cut, so that a file that
  ///     is recorded again changes only where reality did. One that covers nothing that the others
  ///     do not is dropped.
  ///   - isCancelled: Asked before each run; if it is true, no further one is drawn.
  package func plan(
    keeping kept: [[Spec.Command]] = [], isCancelled: () -> Bool = { false }
  ) -> [Plan] {
    let coverage = TraceCoverage(of: specification)
    var covered: Set<Feature> = []
    var lists: [[Spec.Command]] = []
    for commands in kept {
      let features = Set(coverage.features(of: commands).joined())
      guard !features.isSubset(of: covered) else { continue }
      covered.formUnion(features)
      lists.append(commands)
    }
    let start = ContinuousClock.now
    for run in 0..<settings.runs where !isCancelled() {
      if let time = settings.time, ContinuousClock.now - start > time { break }
      let drawn = DrawnCommands(specification, run: run, of: settings)
      let features = Set(coverage.features(of: drawn.commands).joined())
      let new = features.subtracting(covered)
      guard !new.isEmpty else { continue }
      let cut = drawn.cut(specification) { commands in
        new.isSubset(of: Set(coverage.features(of: commands).joined()))
      }
      let commands = observed(cut.commands, seed: settings.seed(ofRun: run))
      covered.formUnion(coverage.features(of: commands).joined())
      lists.append(commands)
    }
    return plans(of: withoutRepeats(lists))
  }

  /// The commands, and then one that reads what they did.
  ///
  /// A command is kept for what it does to the state, and a fake that does something else may give
  /// the same answer.
  private func observed(_ commands: [Spec.Command], seed: UInt64) -> [Spec.Command] {
    guard let last = commands.last, !specification.isReadOnly(last) else { return commands }
    var state = specification.initialState
    for command in commands { _ = specification.apply(command, to: &state) }
    var choices = Choices(seed: seed, strategy: .uniform)
    for _ in 0..<100 {
      choices.beginCommand()
      let command = specification.command(from: &choices, in: state)
      if specification.isReadOnly(command) { return commands + [command] }
    }
    return commands
  }

  /// The lists without those whose features the others have together.
  ///
  /// The last lists are asked first. Each had a feature that no earlier one has, so what is dropped
  /// is mostly an early list that covered only what is common.
  private func withoutRepeats(_ lists: [[Spec.Command]]) -> [[Spec.Command]] {
    let coverage = TraceCoverage(of: specification)
    let features = lists.map { Set(coverage.features(of: $0).joined()) }
    var counts: [Feature: Int] = [:]
    for feature in features.joined() { counts[feature, default: 0] += 1 }
    var isDropped = Array(repeating: false, count: lists.count)
    for index in lists.indices.reversed() {
      guard features[index].allSatisfy({ counts[$0, default: 0] > 1 }) else { continue }
      isDropped[index] = true
      for feature in features[index] { counts[feature, default: 0] -= 1 }
    }
    return lists.indices.filter { !isDropped[$0] }.map { lists[$0] }
  }

  private func plans(of lists: [[Spec.Command]]) -> [Plan] {
    let coverage = TraceCoverage(of: specification)
    var covered: Set<Feature> = []
    return lists.map { commands in
      var names: [String] = []
      for feature in coverage.features(of: commands).joined()
      where covered.insert(feature).inserted && !names.contains(feature.name) {
        names.append(feature.name)
      }
      return Plan(commands: commands, covers: names)
    }
  }
}

extension DrawnCommands {
  /// The commands without those that a condition does not need.
  ///
  /// The rest is drawn again in the states that it then meets, so each command stays legal. Values
  /// are not simplified: what is drawn at random differs more, and shows more.
  ///
  /// - Parameters:
  ///   - specification: The specification that drew the commands.
  ///   - isEnough: Whether commands still serve their purpose.
  func cut(_ specification: Spec, while isEnough: ([Spec.Command]) -> Bool) -> Self {
    var best = self
    var hasChanged = true
    while hasChanged {
      hasChanged = false
      for index in best.choices.spans.indices.reversed() {
        var choices = best.choices
        choices.spans.remove(at: index)
        let candidate = Self(specification, from: choices)
        guard isEnough(candidate.commands) else { continue }
        best = candidate
        hasChanged = true
      }
    }
    return best
  }
}
