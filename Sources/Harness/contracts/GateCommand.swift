import CommandLineSupport
import ContractEvidence
import ContractMutation
import ContractReports
import Foundation

/// `contracts gate`: decides whether the evidence is good enough to rely on the fakes.
struct GateCommand {
  private var journals: [String]
  private var base: String?
  private var gate = Gate()
  private var mutation: MutationGate?

  init(_ arguments: [String]) throws(UsageError) {
    let arguments = try Arguments(
      arguments,
      options: [
        "require", "platform", "max-age", "allow", "base", "forbid", "mutation-score", "target",
      ])
    journals = arguments.operands
    for name in arguments.list("require") {
      guard let kind = ImplementationKind(rawValue: name) else {
        throw UsageError(
          "--require '\(name)' is not valid; give one of "
            + ImplementationKind.allCases.map(\.rawValue).joined(separator: ", "))
      }
      gate.required.insert(kind)
    }
    if let age = arguments["max-age"] { gate.maximumAge = try Self.seconds(age) }
    gate.requiredPlatforms = Set(arguments.list("platform"))
    for allowance in arguments.list("allow") { try allow(allowance) }
    base = arguments["base"]
    if base == nil, !gate.allowedChanges.isEmpty {
      throw UsageError("--allow change=PATTERN needs --base JOURNAL, the journal to compare with")
    }
    for name in arguments.list("forbid") {
      switch name {
      case "unwitnessed": gate.forbidsUnwitnessed = true
      case "new-deviations":
        guard base != nil else {
          throw UsageError(
            "--forbid new-deviations needs --base JOURNAL, the journal to compare with")
        }
        gate.forbidsNewDeviations = true
      default:
        throw UsageError("--forbid '\(name)' is not valid; give new-deviations or unwitnessed")
      }
    }
    mutation = try Self.mutation(arguments)
    gate.checksMutants = mutation != nil
  }

  private static func mutation(_ arguments: Arguments) throws(UsageError) -> MutationGate? {
    let targets = arguments.list("target")
    guard let text = arguments["mutation-score"] else {
      if !targets.isEmpty { throw UsageError("--target needs --mutation-score SCORE") }
      return nil
    }
    guard let score = Double(text), (0...1).contains(score) else {
      throw UsageError(
        "--mutation-score '\(text)' is not valid; give a number from 0 to 1, such as 0.95")
    }
    guard !targets.isEmpty else {
      throw UsageError("--mutation-score needs --target, the targets that were mutated")
    }
    return MutationGate(targets: targets, score: score)
  }

  private mutating func allow(_ allowance: String) throws(UsageError) {
    let parts = allowance.split(separator: "=", maxSplits: 1).map(String.init)
    switch parts.first {
    case "unproven" where parts.count == 2:
      gate.allowedUnproven.append(CasePattern(parts[1]))
    case "strength" where parts.count == 2:
      gate.allowedWithoutStrength.append(CasePattern(parts[1]))
    case "change" where parts.count == 2: gate.allowedChanges.append(CasePattern(parts[1]))
    default:
      throw UsageError(
        "--allow '\(allowance)' is not valid; give unproven=PATTERN, such as "
          + "unproven=cookies/path-*, strength=PATTERN, such as strength=cookies, or change=PATTERN, "
          + "such as change=cookies@sqlite")
    }
  }

  func run() throws -> Int32 {
    let matrix = try Contracts.matrix(of: journals)
    let changes = try base.map { base in
      MatrixDifference(from: try Contracts.matrix(of: [base]), to: matrix)
    }
    let problems = gate.problems(in: matrix, changes: changes)
    let unnoticed = mutation?.problems(in: FileManager.default.currentDirectoryPath) ?? []
    var lines: [String] = []
    for problem in problems {
      lines.append("✗ \(problem.sentence)")
      if let command = problem.command { lines.append("    \(command)") }
    }
    lines += unnoticed.map { "✗ \($0)" }
    lines += gate.notes(on: matrix, changes: changes).map { "note: \($0)" }
    lines += matrix.runs.map { "run: \($0)" } + matrix.versions.map { "version: \($0)" }
    let unversioned = matrix.unversioned.joined(separator: ", ")
    if !unversioned.isEmpty { lines.append("version not recorded: \(unversioned)") }
    // One line each, whatever the reasons in the journal contain.
    lines = lines.map { $0.printable.replacing("\n", with: " ").inert }
    let count = problems.count + unnoticed.count
    lines.append(
      count == 0
        ? "gate passed: \(matrix.summary.text)"
        : "gate failed: \(count) problem\(count == 1 ? "" : "s")")
    try Output.print(lines.map { $0 + "\n" }.joined())
    return count == 0 ? 0 : 1
  }

  /// Parses an age such as `7d`, `12h`, `30m` or `90s`, and returns it in seconds.
  private static func seconds(_ text: String) throws(UsageError) -> Double {
    let units: [Character: Double] = ["d": 86_400, "h": 3_600, "m": 60, "s": 1]
    guard let unit = text.last.flatMap({ units[$0] }), let number = UInt32(text.dropLast()) else {
      throw UsageError(
        "--max-age '\(text)' is not valid; give a number and d, h, m or s, such as 7d")
    }
    return Double(number) * unit
  }
}
