import Testing

@Suite struct MutateTests {
  @Test(arguments: [
    (["mutate"], "missing option --target"),
    (["mutate", "CookiePort"], "unexpected argument 'CookiePort'"),
    (["mutate", "--target", "A", "--only", "F.swift:x"], "--only 'F.swift:x' is not valid"),
    (["mutate", "--target", "A", "--shard", "3/2"], "--shard '3/2' is not valid"),
    (["mutate", "--target", "A", "--max", "0"], "--max '0' is not valid"),
    (["mutate", "--target", "A", "--again", "x"], "--again 'x' is not valid"),
    (["mutations"], "needs the journals"),
    (["gate", "--mutation-score", "95", "--target", "A"], "--mutation-score '95' is not valid"),
    (["gate", "--mutation-score", "0.9"], "--mutation-score needs --target"),
    (["gate", "--target", "A"], "--target needs --mutation-score"),
  ])
  func `an invalid command line exits with 64 and says what is valid`(
    arguments: [String], message: String
  ) async throws {
    let run = try await ToolRun(arguments)
    #expect(run.status == 64)
    #expect(run.errors.contains(message), "\(run.errors)")
  }

  @Test func `mutating a folder without a package fails with what to do`() async throws {
    let run = try await ToolRun(["mutate", "--target", "A"])
    #expect(run.status == 1)
    #expect(run.errors.contains("has no Package.swift; run this in a package's folder"))
  }

  @Test func `results are shown from their journal, and another file is refused`() async throws {
    let journal = """
      {"run":{"cases":["c/a@x"],"excluded":[],"leftOut":{},"mutants":1,"targets":["F"]}}
      {"result":{"fileKey":"k","key":"k-j","mutant":{"declaration":"f","end":{"column":4,"line":1},\
      "file":"F.swift","id":"one","operator":"number","original":"3","replacement":"4",\
      "start":{"column":3,"line":1}},"verdict":{"reachedBy":["c/a@x"],"status":"survived"}}}

      """
    let files = ["m.jsonl": journal, "F.swift": "f(3)", "bad.jsonl": "x\ny\n"]
    let run = try await ToolRun(["mutations", "m.jsonl"], files: files)
    #expect(run.status == 0)
    #expect(run.output.contains("mutation score 0.0 %: 0 of 1 mutants noticed"))
    #expect(run.output.contains("- f(3)\n+ f(4)\n  reached by c/a@x"))
    let bad = try await ToolRun(["mutations", "bad.jsonl"], files: files)
    #expect(bad.status == 66)
    #expect(bad.errors.contains("bad.jsonl:1: not a line of 'contracts mutate'"))
  }
}
