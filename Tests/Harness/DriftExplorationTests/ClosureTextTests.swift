import SwiftSource
import Testing

@testable import DriftExploration

@Suite struct ClosureTextTests {
  @Test(arguments: [
    ("f(\"x\", .a) { files, path in try await files.read(path) }", "try await s.read(1)"),
    ("f { try $0.move($1, to: $2) }", "try s.move(1, to: 2)"),
    ("f { files, from, to in try files.move(from: from, to: to) }", "try s.move(from: 1, to: 2)"),
    ("f(x) { (files: any Files, path: String) in return files.path.with(path) }", "s.path.with(1)"),
    ("f(.map { $0 + 1 }, call: { files, _ in files.read() })", "s.read()"),
    ("f { [weak self] files in files.read() }", "s.read()"),
    ("f { @MainActor files, path in files.read(path) }", "s.read(1)"),
    ("f { files, path -> [String?] in files.read(path) }", "s.read(1)"),
    ("f { files, path -> in files.read(path) }", "s.read(1)"),
    (
      "f { (files: (Int) -> Int, x) -> () -> Int in\n  let x = x; return x\n}",
      "{ (files, x) -> () -> Int in\n  let x = x; return x\n}(s, 1, 2)"
    ),
    (
      "f { (files: any Files, x) async throws(E) -> F.G<Int>? in\n  let x = x; return x\n}",
      "{ (files, x) -> F.G<Int>? in\n  let x = x; return x\n}(s, 1, 2)"
    ),
    ("f { /* what } */ files in files.read() }", "s.read()"),
    (
      "f { files, x in\n  // a } in a comment\n  files.read(x)\n}",
      "{ (files, x) in\n  // a } in a comment\n  files.read(x)\n}(s, 1, 2)"
    ),
    (
      "f { files, x in files.read(\"\\(x)\") }",
      "{ (files, x) in\n  files.read(\"\\(x)\")\n}(s, 1, 2)"
    ),
  ])
  func parametersAreReplaced(_ source: String, _ result: String) throws {
    let closure = try #require(ClosureText(in: SourceText(source), at: 0))
    #expect(closure.applied(to: ["s", "1", "2"]) == result)
  }

  @Test func severalStatementsBecomeStatements() throws {
    let closure = try #require(
      ClosureText(in: SourceText("f { s, x in\n  let a = s.a(x)\n  return a.b }"), at: 0))
    let (before, returned) = try #require(closure.statements(with: ["t", "1"]))
    #expect(before == "let a = t.a(1)")
    #expect(returned == "a.b")
  }

  @Test func aNegativeArgumentKeepsItsSign() throws {
    let closure = try #require(
      ClosureText(in: SourceText("f { s, x in s.add(x.magnitude) }"), at: 0))
    #expect(closure.applied(to: ["s", "-1"]) == "s.add((-1).magnitude)")
  }

  @Test(arguments: [
    ("f { @MainActor player in player.play() }", "@MainActor"),
    ("f { @Sendable player in player.play() }", nil), ("f { player in player.play() }", nil),
  ])
  func theGlobalActorIsThatOfTheClosure(_ source: String, _ actor: String?) throws {
    #expect(try #require(ClosureText(in: SourceText(source), at: 0)).globalActor == actor)
  }

  @Test(arguments: ["f(x)\n}\n{ a in b }", "", "f(", "f {"])
  func textWithoutAClosureIsRefused(_ source: String) {
    #expect(ClosureText(in: SourceText(source), at: 0) == nil)
  }
}
