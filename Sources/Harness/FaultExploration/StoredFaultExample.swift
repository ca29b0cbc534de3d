internal import ExplorationEngine

/// The content of the file of an example with faults.
struct StoredFaultExample: ExampleContent {
  /// A call or a fault, in the order of the run.
  struct Step: Codable, Sendable {
    /// The command's description.
    var call: String?
    /// The client that makes the call; 0 if there is none.
    var client: Int?
    /// The choices from which the command is drawn; they become stale when the generator changes.
    var choices: [UInt64]?
    /// The command as JSON, if it is `Codable`; a changed generator does not affect it.
    var encodedCommand: String?
    /// The name of the fault that strikes.
    var fault: String?
    /// The name of the fault that ends.
    var healing: String?

    /// What the step does, in one line.
    var text: String {
      if let fault { return "fault \(fault)" }
      if let healing { return "healing \(healing)" }
      return "\(client ?? 0): \(call ?? "")"
    }
  }

  /// The steps.
  var steps: [Step]
  /// Whether steps overlap.
  var isConcurrent: Bool
  /// What the answers must agree with.
  var promise: ConsistencyPromise
  /// The seed of the moments at which faults strike.
  var seed: UInt64
  /// The description of the failure.
  var failure: String
  /// The digest of the steps.
  var digest: String

  var commandDigest: String {
    StoredExample.digest(of: steps.map(\.text) + ["\(isConcurrent)", promise.rawValue])
  }

  /// Creates the example of a failure; `nil` if a command can neither be drawn again nor encoded.
  init?<Spec: Specification>(_ failure: FaultFailure<Spec>) {
    let coding = CommandCoding(ifCodable: Spec.Command.self)
    let program = failure.program
    steps = []
    for (position, step) in program.steps.enumerated() {
      switch step {
      case .fault(let fault): steps.append(.init(fault: fault.name))
      case .healing(let fault): steps.append(.init(healing: fault.name))
      case .call(let command, let client):
        let span = program.spans[position]
        // Fewer calls before it may give another command.
        let isDrawn =
          FaultProgram.draw(span, after: program.steps[..<position], failure.specification).command
          == command
        let encoded = coding?.encode([command])?.first
        guard isDrawn || encoded != nil else { return nil }
        steps.append(
          .init(
            call: "\(command)", client: client == 0 ? nil : client,
            choices: isDrawn ? span.map(\.rank) : nil, encodedCommand: encoded))
      }
    }
    isConcurrent = !failure.isSequential
    promise = failure.promise
    seed = failure.seed
    self.failure = failure.problem.map(\.description) ?? failure.promise.violation
    digest = ""
    digest = commandDigest
  }

  /// The names of the faults that strike.
  var faults: Set<String> { Set(steps.compactMap(\.fault)) }

  /// The number of clients that it needs.
  var clients: Int { (steps.map { $0.client ?? 0 }.max() ?? 0) + 1 }

  /// The steps that the example stores; `nil` if a command can neither be drawn again nor decoded.
  func program<Spec: Specification>(
    _ specification: Spec, faults: [Fault<Spec.Subject>]
  ) -> FaultProgram<Spec>? {
    let coding = CommandCoding(ifCodable: Spec.Command.self)
    var steps: [FaultStep<Spec.Command, Spec.Subject>] = []
    var spans: [[Choice]] = []
    for step in self.steps {
      if let name = step.fault ?? step.healing {
        guard let fault = faults.first(where: { $0.name == name }) else { return nil }
        steps.append(step.fault == nil ? .healing(fault) : .fault(fault))
        spans.append([])
        continue
      }
      let choices = (step.choices ?? []).map { Choice(rank: $0) }
      let drawn = FaultProgram.draw(choices, after: steps[...], specification)
      if step.choices != nil, "\(drawn.command)" == step.call {
        steps.append(.call(drawn.command, by: step.client ?? 0))
        spans.append(drawn.span)
      } else if let command = step.encodedCommand.flatMap({ coding?.decode([$0])?.first }) {
        steps.append(.call(command, by: step.client ?? 0))
        spans.append([])
      } else {
        return nil
      }
    }
    return FaultProgram(steps: steps, isSequential: !isConcurrent, spans: spans)
  }
}
