import Foundation
import Testing

@testable import ContractTesting

/// A source file is divided into declarations and what surrounds them.
@Suite struct SourceFileTests {
  /// Calls, each followed by text that is not part of it.
  @Test(
    arguments: [
      (#"Clause("a", "b") { f in f() }"#, "\n  Clause(\"c\")"),
      (#"Clause("a") { "}" + "\"}" }"#, " x"),
      (#"Clause("a") { "\(f("}") + "\(1)")" }"#, " }"),
      (##"Clause("a") { #"""##, "no end"),
      (##"Clause("a") { #"}\" ""# + #/"}/# }"##, " }"),
      ("Clause(\"a\") { \"\"\"\n \" } \"\" \\\"\"\" \n\"\"\" }", "\n)"),
      ("Clause(\"a\") { // }\n /* } /* } */ } */ }", " // }"),
      ("Clause<Int>(\n\"a\"\n)\n{ f in [1](2) }", "\n// comment\nfunc f() {}"),
      ("Clause(\"a\") { } teardown: { } /* x */ other: { }", " third"),
      ("Clause(\"a\", body: f)", "\nnext: Int"),
      (".init(\"a\") { 1 / 2 / 3 }", "\n}"),
    ])
  func `finds the end of a call`(call: String, rest: String) {
    let end = CallScanner.end(ofCallAt: 0, in: Array((call + rest).utf8))
    #expect(end == (rest == "no end" ? nil : call.utf8.count))
  }

  @Test(arguments: ["Clause(", "Clause(\"a\n\")", "Clause(\"a\") { ) }", "/* (", "", "x + (1)"])
  func `gives up on what is no balanced call`(text: String) {
    #expect(CallScanner.end(ofCallAt: 0, in: Array(text.utf8)) == nil)
  }

  private func file(_ text: String, _ starts: SourceFile.Position...) -> SourceFile {
    SourceFile(Data(text.utf8), declaring: Set(starts))
  }

  @Test(arguments: ["Clause", ".init", "A.B<C<D>>.E", "é", "Clause<Int>"])
  func `a declaration begins with the called name`(name: String) {
    let text = "f() \(name)(1)"
    let start = SourceFile.Position(line: 1, column: 5 + name.utf8.count)
    #expect(file(text, start).surroundings == file("f() ").surroundings)
  }

  private let one = SourceFile.Position(line: 1, column: 1)
  private let two = SourceFile.Position(line: 2, column: 3)

  @Test func `a change in a declaration changes its digest alone`() {
    let before = file("C(1)\n  C(2)\nf()", one, two)
    let after = file("C(1)\n  C(3)\nf()", one, two)
    #expect(before.declarations[one] == after.declarations[one])
    #expect(before.declarations[two] != after.declarations[two])
    #expect(before.surroundings == after.surroundings)
  }

  @Test func `a change beside the declarations changes their surroundings`() {
    let before = file("C(1)\n  C(2)\nf()", one, two)
    #expect(before.surroundings != file("C(1)\n  C(2)\ng()", one, two).surroundings)
    #expect(before.surroundings == file("C(1)\n  C(2)\n\n  f()", one, two).surroundings)
    #expect(before.surroundings == file("C(1)\nf()", one).surroundings)
  }

  @Test(arguments: [Contract.counter, .arithmetic, .shared, .weak, .twins])
  func `real clauses and saboteurs are where Swift says they are`(
    contract: Contract<Counter>
  ) throws {
    let locations =
      contract.clauses.map(\.sourceLocation) + contract.saboteurs.map(\.sourceLocation)
    let path = try #require(locations.first?.filePath)
    let starts = Set(locations.map { SourceFile.Position(line: $0.line, column: $0.column) })
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    let file = SourceFile(data, declaring: starts)
    #expect(file.declarations.count == starts.count)
    #expect(!file.declarations.values.contains(""))
    let text = String(decoding: data, as: UTF8.self)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    for start in starts {
      let name = lines[start.line - 1].utf8.dropFirst(start.column - 1)
      #expect(name.first == UInt8(ascii: "("), "Swift gives the place of the arguments")
    }
  }

  /// The scanner takes the slash for a division, and so the bracket in the regular expression for one.
  @Test func `a file whose declarations can't be told apart is one piece`() {
    let text = "C(/[(]/)\n  C(2)"
    let before = file(text, one, two)
    #expect(before.declarations == [one: "", two: ""])
    #expect(before.surroundings != file(text.replacing("2", with: "3"), one, two).surroundings)
    let missing = SourceFile.Position(line: 9, column: 1)
    #expect(file("C(1)", missing).declarations == [missing: ""])
  }
}
