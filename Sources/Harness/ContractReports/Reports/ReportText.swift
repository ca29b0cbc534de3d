import ContractEvidence

extension String {
  /// The text with some characters replaced, each independent of the characters around it.
  ///
  /// Works on Unicode scalars: as part of a `Character`, a `<` with a combining mark would not be
  /// found.
  /// - Parameter replacement: The replacement for a scalar, or `nil` to keep the scalar.
  func escaping(_ replacement: (Unicode.Scalar) -> String?) -> String {
    var result = ""
    for scalar in unicodeScalars {
      if let text = replacement(scalar) {
        result += text
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// Whether a page may link to the text: an HTTP address without a character that could end the
  /// link.
  var isWebAddress: Bool {
    (hasPrefix("https://") || hasPrefix("http://"))
      && unicodeScalars.allSatisfy { $0.value > 0x20 && !"<>[]\"'`\\|".unicodeScalars.contains($0) }
      && printable == self
  }

  /// The text as one word of a shell command.
  private var shellQuoted: String { "'" + replacing("'", with: "'\\''") + "'" }

  /// The shell command that runs the cases that this pattern selects.
  ///
  /// - Parameter kind: The value for `CONTRACT_KIND`, if any.
  func rerunCommand(kind: ImplementationKind? = nil) -> String {
    let kind = kind.map { " CONTRACT_KIND=\($0.rawValue)" } ?? ""
    return "CONTRACT=\(shellQuoted)\(kind) swift test --filter Contract"
  }
}

extension SaboteurResult {
  /// The id that selects the saboteur on this clause: `contract/clause@saboteur.name`.
  var caseID: String { "\(contract)/\(clause)@saboteur.\(saboteur)" }
}
