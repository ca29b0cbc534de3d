import ContractEvidence
import Testing

@Suite struct CasePatternTests {
  private let id = CaseID(contract: "cookies", clause: "path-match", implementation: "sqlite")

  @Test(
    arguments: [
      "cookies/path-match@sqlite", "cookies", "cookies/path-*", "cookies/*@sqlite", "@sqlite",
      "/path-match", "*", "cook*s/path-mat?h@*", "*/*@*", "cookies@sqlite", "",
    ])
  func `omitted parts, stars and question marks match`(text: String) {
    #expect(CasePattern(text).matches(id))
  }

  @Test(
    arguments: [
      "nonsense", "cookies/path-match@foundation", "cookie", "cookies/path", "cookies/?", "@sql",
      "COOKIES", "cookies/path-match/@sqlite", "cookies/path-match@sqlite-2",
    ])
  func `other patterns do not match`(text: String) {
    #expect(!CasePattern(text).matches(id))
  }

  @Test(
    arguments: [
      ("*/explore@sqlite", true), ("jobs/explore@sql*", true), ("/explore", true),
      ("@sqlite", false), ("cookies", false), ("*/explore@fake", false), ("*/explor*", false),
      ("*/explore,!*/explore@sqlite", false), ("*/explore,!cookies/path-match", true),
    ])
  func `explorations are selected only by patterns that name them`(
    patterns: String, isSelected: Bool
  ) throws {
    let selection = try Selection(environment: ["CONTRACT": patterns])
    #expect(selection.includesExploration(of: "sqlite") == isSelected)
  }

  @Test func `an exclusion removes cases from the others' matches`() throws {
    let selection = try Selection(environment: ["CONTRACT": "cookies, !cookies/path-*@sqlite"])
    #expect(!selection.includes(id, kind: .live))
    var other = id
    other.implementation = "in-memory"
    #expect(selection.includes(other, kind: .fake))
    let only = try Selection(environment: ["CONTRACT": "!@sqlite"])
    #expect(!only.includes(id, kind: .live))
    #expect(only.includes(other, kind: .fake))
  }

  @Test func `a pattern with 2,000 stars is matched without exponential backtracking`() {
    let hostile = CasePattern(String(repeating: "*a", count: 2000) + "b")
    let long = CaseID(
      contract: String(repeating: "a", count: 20_000), clause: "c", implementation: "i")
    #expect(!hostile.matches(long))
  }

  @Test func `kinds are parsed, and unknown ones are named`() throws {
    let selection = try Selection(environment: ["CONTRACT_KIND": "fake,live"])
    #expect(selection.kinds == [.fake, .live])
    #expect(selection.includes(id, kind: .live))
    #expect(!selection.includes(id, kind: .recorded))
    #expect(!selection.includes(id, kind: nil), "a saboteur has no kind")
    let error = #expect(throws: EnvironmentError.self) {
      try Selection(environment: ["CONTRACT_KIND": "alive"])
    }
    #expect(error?.description.contains("fake, live, recorded") == true)
  }
}

@Suite struct CaseIDTests {
  @Test func `an id parses its own description`() {
    let id = CaseID(contract: "cookies", clause: "path-match", implementation: "sqlite")
    #expect(id.description == "cookies/path-match@sqlite")
    #expect(CaseID(id.description) == id)
  }

  @Test(arguments: ["", "cookies", "cookies/@sqlite", "/a@b", "a/b@", "a@b/c", "a/b"])
  func `a string without all three parts is not an id`(text: String) {
    #expect(CaseID(text) == nil)
  }

  @Test func `ids consist of lower-case letters, digits, hyphens and dots`() {
    #expect(isValidID("max-age.2"))
    for text in ["", "Path", "path match", "pfad/ä", "a@b", "a_b", "a,b"] {
      #expect(!isValidID(text), "\(text)")
    }
  }
}
