import Foundation

/// A file of tests with one named test for each clause of a contract, so that an editor can run one clause.
package struct ClauseTestFile: Sendable {
  /// The first line of each file that the tool writes, and may overwrite.
  private static let mark = "// Written by 'contracts new --one-test-per-clause'."

  /// The path, relative to the package's folder.
  package let path: String
  /// The Swift source.
  package let text: String
  private let clauses: [String]

  /// The parts of an expression such as `Contract<CookieStoreFixture>.cookies.cases(for: .inMemory)`.
  package struct Expression: Sendable {
    package let text: String
    /// The name of the contract's constant.
    package let constant: String
    fileprivate let fixture: String

    /// Reads an expression, or returns `nil` if it has another form.
    package init?(_ text: String) {
      guard let match = text.wholeMatch(of: /Contract<(.+?)>\.(\w+)\.cases\(for: ?.+\)/) else {
        return nil
      }
      self.text = text
      fixture = String(match.1)
      constant = String(match.2)
    }

    /// The contract's id if it is the constant's name with hyphens, as `contracts new` writes it.
    package var usualID: String { Identifier.words(constant).joined(separator: "-") }
  }

  /// Makes the file.
  ///
  /// - Parameters:
  ///   - contract: The contract's id.
  ///   - clauses: The clauses' ids with their sentences, in order.
  ///   - folder: The folder of the tests.
  ///   - imports: The modules to import, each perhaps with an attribute: `@testable App`.
  ///   - command: The command that refreshes the file.
  package init(
    _ cases: Expression, contract: String, clauses: [(id: String, sentence: String)],
    in folder: String, importing imports: [String], command: String
  ) {
    let suite = cases.constant.prefix(1).uppercased() + cases.constant.dropFirst() + "ClauseTests"
    path = "\(folder)/\(suite).swift"
    self.clauses = clauses.map(\.id)
    let lines = (["ContractTesting", "Testing"] + imports).map { module in
      let words = module.split(separator: " ")
      return (words.dropLast() + ["import"] + words.suffix(1)).joined(separator: " ")
    }
    let parameter = "_ clause: ContractCase<\(cases.fixture)>"
    let body = "async throws { try await clause.verify() }"
    var names: Set = ["all", "cases", "others"]
    let tests = clauses.map { clause in
      var name = Identifier.camel(Identifier.words(clause.id))
      while !names.insert(name).inserted { name = Identifier.plain(name) + "_" }
      return """
          @Test(\(clause.sentence.debugDescription), arguments: cases("\(clause.id)"))
          func \(name)(\(parameter)) \(body)
        """
    }
    text = """
      \(Self.mark)
      // A refresh overwrites it: \(command)
      // swift-format-ignore-file
      \(Set(lines).sorted().joined(separator: "\n"))

      @Suite struct \(suite) {
        static let all = \(cases.text)

        static func cases(_ clause: String) -> [ContractCase<\(cases.fixture)>] {
          all.filter { $0.id.hasPrefix("\(contract)/\\(clause)@") }
        }

      \(tests.joined(separator: "\n\n"))

        static let clauses = [\(clauses.map { "\"\($0.id)\"" }.joined(separator: ", "))]

        @Test(
          "mistakes in declarations, and clauses that are newer than this file",
          arguments: all.filter { one in !clauses.contains { one.id.hasPrefix("\(contract)/\\($0)@") } })
        func others(\(parameter)) \(body)
      }

      """
  }

  /// Writes the file, also over one that the tool has written before.
  ///
  /// - Parameter package: The package's folder.
  /// - Returns: The ids of the clauses that an earlier file lacks, and of those that only it has.
  /// - Throws: ``ScaffoldError`` if a person wrote a file of that name, or if it can't be written.
  package func write(
    in package: String
  ) throws(ScaffoldError) -> (added: [String], removed: [String]) {
    let file = "\(package)/\(path)"
    let old = try? String(contentsOfFile: file, encoding: .utf8)
    if let old, !old.hasPrefix(Self.mark) {
      throw ScaffoldError(.output, "\(path) exists, and the tool did not write it; move it away")
    }
    do {
      try Data(text.utf8).write(to: URL(fileURLWithPath: file), options: .atomic)
    } catch {
      throw ScaffoldError(.output, "can't write \(path): \(error.localizedDescription)")
    }
    let before = (old ?? "").matches(of: /arguments: cases\("(.+?)"\)/).map { String($0.1) }
    return (
      clauses.filter { !before.contains($0) }, before.filter { !clauses.contains($0) }
    )
  }
}
