import ContractEvidence
import Testing

/// The command that runs one case again.
enum RerunCommand {
  /// Returns a shell command.
  ///
  /// - Parameters:
  ///   - id: The case.
  ///   - test: The test that ran the case.
  static func text(for id: CaseID, in test: Test) -> String {
    "CONTRACT='\(id)' swift test --filter '\(name(of: test))'"
  }

  /// The test's id up to its parameters: `ContractTests.CookieContractTests/holds`.
  private static func name(of test: Test) -> String {
    let id = String(describing: test.id)
    return String(id.prefix { $0 != "(" })
  }

  /// Returns a regular expression that matches only the id of `test`.
  static func filter(for test: Test) -> String {
    var pattern = "^"
    for character in String(describing: test.id) {
      if !character.isLetter, !character.isNumber, character != "_", character != "/" {
        pattern += "\\"
      }
      pattern.append(character)
    }
    return pattern + "$"
  }
}
