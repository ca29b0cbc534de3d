import ContractEvidence
import Testing

/// The command that runs one case again.
enum Rerun {
  /// - Parameters:
  ///   - id: The case.
  ///   - test: The test that ran it.
  static func command(for id: CaseID, in test: Test) -> String {
    "CONTRACT='\(id)' swift test --filter '\(suite(of: test))'"
  }

  /// The test's id up to its name: `ContractTests.CookieContractTests/holds`.
  private static func suite(of test: Test) -> String {
    let id = String(describing: test.id)
    return String(id.prefix { $0 != "(" })
  }

  /// A regular expression that matches the id of `test` alone.
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
