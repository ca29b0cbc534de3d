import ExplorationEngine
import Testing

/// What exploration printed for the bug B1, pasted; only the name of the subject's maker is ours.
struct PrintedTest {
  func makeSubject() throws -> BuggyDictionary { BuggyDictionary(.b1) }

  @Test func `a printed test fails as exploration did`() throws {
    try withKnownIssue {
      try putPutDeleteGet()
    } matching: { issue in
      issue.comments.contains { $0.rawValue == "get(0)" }
    }
  }

  func putPutDeleteGet() throws {
    let specification = DictionarySpecification()
    let subject = try makeSubject()
    var state = specification.initialState
    let commands: [DictionarySpecification.Command] = [
      .put(0, 0),  // done
      .put(0, 0),  // done
      .delete(0),  // deleted(true)
      .get(0),  // expected value(nil), got value(Optional(0))
    ]
    for command in commands {
      let expected = specification.apply(command, to: &state)
      let actual = try specification.perform(command, on: subject)
      #expect(actual == expected, "\(command)")
    }
  }
}
