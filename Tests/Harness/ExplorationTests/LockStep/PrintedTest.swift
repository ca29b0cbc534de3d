import ExplorationEngine
import Testing

/// The test that exploration prints for bug B1. `makeSubject` was added.
struct PrintedTest {
  func makeSubject() throws -> BuggyDictionary { BuggyDictionary(.b1) }

  @Test func `a printed test fails like the exploration`() throws {
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
