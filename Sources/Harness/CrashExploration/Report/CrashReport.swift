import ContractExploration

/// The result of an exploration of crashes.
struct CrashReport<Spec: PersistentSpecification>: Sendable {
  /// A finding with the commands that lead to it.
  struct Failure: Sendable {
    var commands: [Spec.Command]
    var finding: CrashFinding
    /// The seed of the run, or `nil` if the commands were given.
    var seed: UInt64?
    /// The number of commands before shrinking.
    var originalLength: Int
    /// The recordings that shrinking took.
    var attempts = 0
    var isShrunkFully = true
  }

  let specification: Spec
  let durability: CrashDurability
  /// A Swift expression for the implementation.
  let implementation: String
  var seed: UInt64
  var runs = 0
  var coverage = CrashCoverage()
  var failure: Failure?
  var duration: Duration = .zero

  /// The reasons of known findings that a whole exploration did not have.
  var staleDeviations: [String] {
    guard failure == nil, coverage.pointsLeftOut == 0 else { return [] }
    return coverage.deviations.filter { $0.value == 0 }.keys.sorted()
  }

  /// What was examined, in one line.
  var summary: String {
    "\(runs) runs, \(coverage) in \(duration), first seed \(seed)"
  }
}

extension CrashReport: CustomStringConvertible {
  var description: String {
    guard let failure else { return summary }
    return "\(failure.finding.summary)\n" + trace(of: failure).joined(separator: "\n") + "\n"
      + origin(of: failure) + "\n\n" + swiftTest(of: failure) + "\n\n" + summary
  }

  private func trace(of failure: Failure) -> [String] {
    let finding = failure.finding
    var lines: [String] = []
    var state = specification.initialState
    for (index, command) in failure.commands.enumerated() {
      let response = specification.apply(command, to: &state)
      let note =
        if index < finding.point.acknowledged {
          "→ \(response), returned"
        } else if index < finding.point.begun {
          "in progress"
        } else {
          index <= finding.step ? "performed after reopening" : "not reached"
        }
      lines.append("  \(index + 1). \(command)  \(note)")
    }
    lines.append(
      "crash after \(finding.point.event) (event \(finding.point.number) of "
        + "\(finding.point.count)); \(finding.mode)")
    lines.append("seen on  \(finding.mode.fileSystems)")
    if finding.mode.isPowerLoss {
      lines.append(
        "tried    \(finding.isExhaustive ? "every combination" : "a part of the combinations") of"
          + " damages at this point")
    }
    if let event = finding.recovery {
      lines.append("second crash, while it was reopened, after \(event)")
    }
    lines += finding.expected.map { "expected \($0)" }
    return lines + ["found    \(finding.found)"]
  }

  private func origin(of failure: Failure) -> String {
    guard let seed = failure.seed else { return "from given commands" }
    var text =
      "from seed \(seed), \(failure.originalLength) commands before shrinking, which took "
      + "\(failure.attempts) recordings"
    if !failure.isShrunkFully {
      text += "; shrinking reached its limit, raise `shrinkTime` for a smaller example"
    }
    return text
  }

  private func swiftTest(of failure: Failure) -> String {
    let commands = failure.commands.map { "      \(specification.source(ofCommand: $0))," }
    return """
      @Test func survivesCrashes() async throws {
        try await exploreCrashes(
          \(specification.source), on: \(implementation), surviving: .\(durability.rawValue),
          \(failure.finding.recovery == nil ? "" : "duringRecovery: true, ")commands: [
      \(commands.joined(separator: "\n"))
          ])
      }
      """
  }
}
