import ContractEvidence

/// `contracts gate`: whether the evidence is good enough to rely on the fakes.
struct GateCommand {
  private var journals: [String]
  private var gate = Gate()

  init(_ words: [String]) throws(UsageError) {
    let arguments = try Arguments(words, options: ["require", "max-age", "allow"])
    journals = arguments.operands
    for word in arguments.list("require") {
      guard let kind = ImplementationKind(rawValue: word) else {
        throw UsageError(
          "--require '\(word)' is not known: give one of "
            + ImplementationKind.allCases.map(\.rawValue).joined(separator: ", "))
      }
      gate.required.insert(kind)
    }
    if let age = arguments["max-age"] { gate.maximumAge = try Self.seconds(age) }
    for word in arguments.list("allow") {
      guard word.hasPrefix("unproven="), word.count > "unproven=".count else {
        throw UsageError(
          "--allow '\(word)' is not understood: give unproven=PATTERN, as unproven=cookies/path-*")
      }
      gate.allowedUnproven.append(CasePattern(String(word.dropFirst("unproven=".count))))
    }
  }

  func run() throws -> Int32 {
    let matrix = try Contracts.matrix(of: journals)
    let objections = gate.objections(to: matrix)
    guard !objections.isEmpty else {
      try Output.print("the gate opens: \(matrix.summary.text)\n")
      return 0
    }
    var lines: [String] = []
    for objection in objections {
      lines.append("✗ \(objection.sentence)")
      if let command = objection.command { lines.append("    \(command)") }
    }
    let number = objections.count
    lines.append("the gate stays shut: \(number) objection\(number == 1 ? "" : "s")")
    try Output.print(lines.map { $0 + "\n" }.joined())
    return 1
  }

  /// An age in seconds from a whole number and a unit: `7d`, `12h`, `30m`, `90s`.
  private static func seconds(_ text: String) throws(UsageError) -> Double {
    let units: [Character: Double] = ["d": 86_400, "h": 3_600, "m": 60, "s": 1]
    guard let unit = text.last.flatMap({ units[$0] }), let number = UInt32(text.dropLast()) else {
      throw UsageError(
        "--max-age '\(text)' is not understood: give a number and d, h, m or s, as 7d")
    }
    return Double(number) * unit
  }
}
