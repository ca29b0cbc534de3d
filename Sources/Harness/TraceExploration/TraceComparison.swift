package import ExplorationEngine
internal import LockStepExploration

/// A step to which a subject, or the model, answers otherwise than recorded.
package struct TraceDifference<Spec: Specification>: Sendable {
  /// The trace.
  package var trace: Trace<Spec>
  /// The index of the step.
  package var index: Int
  /// The other answer, or `nil` if there was none.
  package var response: Spec.Response?
  /// Why there was no answer.
  package var failure: String?
  /// The indices of the steps that show the difference; the last one is ``index``.
  package var path: [Int]

  package var step: Trace<Spec>.Step { trace.steps[index] }

  /// The line of the step in the file.
  package var line: Int { trace.line + index }
}

/// Compares answers with recorded ones.
package struct TraceComparison<Spec: Specification>: Sendable {
  /// What the comparison of one trace found.
  package struct Result: Sendable {
    /// The first difference that is not declared.
    package var difference: TraceDifference<Spec>?
    /// The declarations that covered a difference.
    package var declarations: Set<Int> = []
    /// The number of steps after a declared difference. Their recorded answers follow from another
    /// state, so they say nothing.
    package var uncompared = 0
  }

  private let specification: Spec
  private let declaration: @Sendable (Trace<Spec>.Step, _ response: Spec.Response?) -> Int?

  /// Creates a comparison.
  ///
  /// - Parameters:
  ///   - specification: The specification.
  ///   - declaration: The number of the declaration that covers a difference, or `nil`.
  package init(
    _ specification: Spec,
    declaration: @escaping @Sendable (Trace<Spec>.Step, Spec.Response?) -> Int? = { _, _ in nil }
  ) {
    self.specification = specification
    self.declaration = declaration
  }

  /// The model's answers to commands.
  package func answersOfModel(to commands: [Spec.Command]) -> TraceAnswers<Spec.Response> {
    var state = specification.initialState
    return TraceAnswers(commands.map { specification.apply($0, to: &state) })
  }

  /// Compares answers with those of a trace, up to the first difference that leaves the subject in
  /// another state than the recorded one.
  package func compare(
    _ trace: Trace<Spec>, with answers: TraceAnswers<Spec.Response>
  ) -> Result {
    var result = Result()
    for (index, step) in trace.steps.enumerated() {
      let response = index < answers.responses.count ? answers.responses[index] : nil
      guard response != step.response else { continue }
      guard let declared = declaration(step, response) else {
        result.difference = TraceDifference(
          trace: trace, index: index, response: response,
          failure: response == nil ? answers.failure ?? "it gave no answer" : nil,
          path: Array(0...index))
        return result
      }
      result.declarations.insert(declared)
      guard specification.isReadOnly(step.command), response != nil else {
        result.uncompared = trace.steps.count - index - 1
        return result
      }
    }
    if let failure = answers.failure, let last = trace.steps.indices.last,
      answers.responses.count == trace.steps.count
    {
      // Every answer agrees, but the teardown failed.
      result.difference = TraceDifference(
        trace: trace, index: last, response: nil, failure: failure, path: Array(0...last))
    }
    return result
  }

  // MARK: - Shrinking

  /// Leaves out steps before a difference whose recorded answers say nothing about it.
  ///
  /// Nobody knows what the recorded implementation would answer to other commands, so only steps go
  /// without which its other answers are certainly the same: commands that never change a state,
  /// and commands of other partitions. What is left must still show the difference.
  ///
  /// - Parameters:
  ///   - difference: The difference, with the whole path.
  ///   - answers: Runs lists of commands.
  package func shrunk(
    _ difference: TraceDifference<Spec>,
    asking answers: ([[Spec.Command]]) async -> [TraceAnswers<Spec.Response>]
  ) async -> TraceDifference<Spec> {
    var best = difference
    let removable = Set(removableSteps(before: difference))
    guard !removable.isEmpty else { return best }
    let shortest = difference.path.filter { !removable.contains($0) }
    if await isShown(difference, by: shortest, asking: answers) {
      best.path = shortest
      return best
    }
    for index in removable.sorted(by: >) {
      let path = best.path.filter { $0 != index }
      if await isShown(difference, by: path, asking: answers) { best.path = path }
    }
    return best
  }

  /// The steps without which the recorded answers of the others are certainly the same.
  private func removableSteps(before difference: TraceDifference<Spec>) -> [Int] {
    let steps = difference.trace.steps.prefix(difference.index)
    let partitions = difference.trace.steps.prefix(difference.index + 1).map {
      specification.partition(of: $0.command)
    }
    // A command without a partition may depend on every other one.
    let isPartitioned = partitions.allSatisfy { $0 != nil }
    return steps.indices.filter { index in
      let step = steps[index]
      return specification.isReadOnly(step.command)
        || specification.isReadOnly(step.command, returning: step.response)
        || (isPartitioned && partitions[index] != partitions[difference.index])
    }
  }

  /// Whether the last of some steps, and no other one of them, has another answer than recorded.
  private func isShown(
    _ difference: TraceDifference<Spec>, by path: [Int],
    asking answers: ([[Spec.Command]]) async -> [TraceAnswers<Spec.Response>]
  ) async -> Bool {
    let steps = path.map { difference.trace.steps[$0] }
    guard let answer = await answers([steps.map(\.command)]).first else { return false }
    let found = TraceComparison(specification).compare(Trace(steps, covering: []), with: answer)
    return found.difference?.index == steps.count - 1
      && (found.difference?.response == nil) == (difference.response == nil)
  }
}
