import ContractTesting
import DriftExploration
import Foundation
import SystemLocks
import Testing

@OperationBuilder<any Notes> var noteOperations: [AnyOperation<any Notes>] {
  Operation("set", .texts, .keys) { notes, text, key in try notes.set(text, for: key) }
  Operation("text", .keys) { notes, key in try notes.text(for: key) }
  Operation("add", .texts) { notes, text in notes.add(text) }.ignoringAnswer()
  Operation("remove", .result(of: "add")) { try $0.remove($1) }
  Operation("all") { notes in notes.all() }
}

@Suite struct ExploreDriftTests {
  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "drift-tests-\(UUID().uuidString)")

  private var file: String { folder.appending(path: "Tests.swift").path }

  /// The only result of an exploration of one fake.
  private func result(
    of fake: Implementation<any Notes>, observing observations: [Observation<any Notes>] = [],
    settings: ExplorationSettings = .brief, at file: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation,
    @OperationBuilder<any Notes> operations: () -> [AnyOperation<any Notes>]
  ) async throws -> DriftResult {
    var results: [DriftResult] = []
    try await findDrift(
      of: [fake], from: .reference, observing: observations, settings: settings,
      filePath: file ?? self.file, sourceLocation: sourceLocation, operations()
    ) { results.append($0) }
    try? FileManager.default.removeItem(at: folder)
    return try #require(results.first)
  }

  @Test func findsNothingInACorrectFake() async throws {
    let result = try await result(of: .notes()) { return noteOperations }
    #expect(result.problems.isEmpty)
    #expect(result.calls > 1000)
  }

  @Test(arguments: [
    (MemoryNotes.Mistake.keepsFirst, [["set(\"a\", \"a\")", "set(\"b\", \"a\")", "text(\"a\")"]]),
    (.forgetsEmptyKey, [["set(\"a\", \"\")", "text(\"\")"]]),
    (.removesTwice, [["add(\"a\")", "remove(add1)", "remove(add1)"]]),
    (.orders, [["add(\"a\")", "add(\"b\")", "all()"]]),
    (.otherError, [["text(\"a\")"]]),
    (.otherMessage, []),
    (.crashesOnEmptyText, [["set(\"\", \"a\")"]]),
  ])
  func shrinksToTheFewestCalls(_ mistake: MemoryNotes.Mistake, _ calls: [[String]]) async throws {
    let result = try await result(of: .notes(mistake)) { return noteOperations }
    #expect(result.findings == calls)
    let saved = result.summary.contains(", saved in \(folder.path)/.examples")
    #expect(saved == !calls.isEmpty, "\(result.summary)")
  }

  @Test func anAnswerAndWhatIsReadAfterItMayBothDiffer() async throws {
    let result = try await result(
      of: .notes(.countsOneMore), observing: [.afterEachCall("count") { try $0.noteCount() }]
    ) {
      Operation("addAndCount", .texts) { notes, text in
        _ = notes.add(text)
        return try notes.noteCount()
      }
    }
    #expect(result.findings == [["addAndCount(\"a\")"]])
    #expect(result.problems.count == 1)
    #expect(result.problems.first?.contains("reference: returned 1\n") == true)
    #expect(result.problems.first?.contains("#expect(try notes.noteCount() == 1)") == true)
  }

  @Test func whatIsSeenOnlyAfterADeclaredDifferenceIsCounted() async throws {
    let result = try await result(of: .notes(.forgetsEmptyKey)) {
      Operation("write", .texts, .keys) { (notes: any Notes, text, key) -> String? in
        try notes.set(text, for: key)
        return try? notes.text(for: key)
      }
      .differing(because: "the empty key is not stored") { _, key in key.isEmpty }
      Operation("text", .keys) { notes, key in try notes.text(for: key) }
    }
    #expect(result.problems.isEmpty)
    #expect(result.summary.contains("; no difference, but 1 after declared ones"), "\(result)")
  }

  @Test func aHangIsAFinding() async throws {
    var settings = ExplorationSettings.brief
    settings.runLimit = .milliseconds(700)
    let result = try await result(of: .notes(.hangsOnEmptyText), settings: settings) {
      return noteOperations
    }
    #expect(result.findings.first == ["set(\"\", \"a\")"])
    #expect(
      result.problems.first?.contains("hangsOnEmptyText did not return within 0.7 seconds") == true)
  }

  @Test func aCrashNamesTheSideAndTheWayToRunItAgain() async throws {
    let result = try await result(of: .notes(.crashesOnEmptyText)) { return noteOperations }
    let problem = try #require(result.problems.first)
    #expect(
      problem.contains("crashesOnEmptyText ended the process\n  1. notes.set(\"\", for: \"a\")"))
    #expect(problem.contains("Fatal error: the text is empty"))
    #expect(problem.contains("CONTRACT_EXPLORE_SEED="))
  }

  @Test(arguments: [MemoryNotes.Mistake.crashesInSetUp, .refusesSetUp])
  func aSetUpThatFailsIsAFinding(_ mistake: MemoryNotes.Mistake) async throws {
    let result = try await result(of: .notes(mistake)) { return noteOperations }
    #expect(result.findings == [[]])
    #expect(result.problems.first?.contains("\(mistake)") == true)
  }

  @Test func aFixtureThatCannotBeMadeSaysWhere() async throws {
    let line = #line + 2
    let broken = Implementation<any Notes>.fake("broken") {
      try #require(nil as (any Notes)?)
    }
    let result = try await result(of: broken) { return noteOperations }
    let problem = try #require(result.problems.first)
    #expect(
      problem.hasPrefix(
        """
        difference 1 of 1: broken, making its fixture: #require failed at \
        DriftExplorationTests/ExploreDriftTests.swift:\(line)
        run it again: 
        """))
    #expect(!result.summary.contains("saved in"))
  }

  @Test func oneRunListsDifferencesWithDifferentCauses() async throws {
    let result = try await result(of: .notes(.keepsFirst, .removesTwice, .orders, .otherError)) {
      return noteOperations
    }
    #expect(Set(result.findings.map(\.last)) == ["text(\"a\")", "remove(add1)", "all()"])
    #expect(result.findings.count == 4)
  }

  @Test func oneOperationShowsEachOfItsCauses() async throws {
    let result = try await result(of: .notes(.hasNoLimitAtZero, .includesBound)) {
      Operation("add", .texts) { (notes: any Notes, text) in notes.add(text) }.ignoringAnswer()
      Operation("page", .integers(-1...3), .optional(.texts)) { notes, limit, text in
        notes.page(limit, after: text)
      }
    }
    #expect(result.findings.count == 1)
    let problem = try #require(result.problems.first)
    // The limit of 0 is found without a bound, and the bound with another limit.
    #expect(problem.contains("page(0, nil)") || problem.contains("page(0, after: nil)"))
    #expect(problem.contains(/also differs: add\("a"\), page\([123], "a"\)/), "\(problem)")
  }

  @Test func aClauseForAnAnswerWithoutAnExpressionAsksForOne() async throws {
    let result = try await result(of: .notes(.countsOneMore)) {
      Operation("year") { (notes: any Notes) in DateComponents(year: try notes.noteCount()) }
    }
    let problem = try #require(result.problems.first)
    let request =
      "Issue.record(\"write me: an expectation for the answer; reference returned year: 0"
    #expect(problem.contains(request), "\(problem)")
  }

  @Test func aRunThatReportsAllItMaySaysThatItDoes() async throws {
    let counts = try await result(of: .notes(.countsOneMore)) {
      for number in 1...13 {
        Operation("count\(number)") { (notes: any Notes) in try notes.noteCount() }
      }
    }
    #expect(counts.findings.count == 12)
    #expect(counts.summary.contains("differences: 12, the most that a run reports"))
  }

  @Test func partsOfAnAnswerThatDifferAreTold() async throws {
    let result = try await result(of: .notes(.countsOneMore, .orders)) {
      Operation("add", .texts) { (notes: any Notes, text) in notes.add(text) }.ignoringAnswer()
      Operation("state") { notes in (notes.all(), try notes.noteCount()) }
    }
    #expect(result.findings == [["state()"]])
    let problem = try #require(result.problems.first)
    #expect(problem.contains("also differs: add(\"a\"), add(\"b\"), state()"), "\(problem)")
  }

  @Test func readyValuesShowWhatStorageLoses() async throws {
    /// Returns what it stores, like a database with these columns.
    struct Columns: Sendable {
      var isExact: Bool
      func date(_ date: Date) -> Date {
        isExact ? date : Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded())
      }
      func early(_ date: Date) -> Date {
        isExact ? date : max(date, Date(timeIntervalSince1970: 0))
      }
      func number(_ number: Double) -> Double { isExact ? number : Double(Float(number)) }
      func id(_ id: UUID) -> String { isExact ? id.uuidString : id.uuidString.lowercased() }
      func url(_ url: URL) -> String {
        isExact ? url.absoluteString : url.absoluteString.lowercased()
      }
    }
    @OperationBuilder<Columns> var operations: [AnyOperation<Columns>] {
      Operation("date", .dates) { columns, date in columns.date(date) }
      Operation("early", .dates) { columns, date in columns.early(date) }
      Operation("number", .doubles) { columns, number in columns.number(number) }
      Operation("id", .uuids) { columns, id in columns.id(id) }
      Operation("url", .urls) { columns, url in columns.url(url) }
    }
    var result: DriftResult?
    try await findDrift(
      of: [.fake("columns") { Columns(isExact: false) }],
      from: .fake("exact") { Columns(isExact: true) }, settings: .brief, filePath: file, operations
    ) { result = $0 }
    try? FileManager.default.removeItem(at: folder)
    // As one expression, the compiler takes more than 15 seconds to check its types.
    let names: [[Substring]] = try #require(result).findings.map { calls in
      calls.map { call in call.prefix { $0 != "(" } }
    }
    #expect(names.sorted { $0[0] < $1[0] } == [["date"], ["early"], ["id"], ["number"], ["url"]])
  }

  @Test(arguments: [true, false])
  func aFakeThatAnswersInAnOrderOfChanceIsSaidToDoSo(_ isChance: Bool) async throws {
    final class Names: Sendable {
      private let names = Mutex<Set<String>>([])
      private let order: @Sendable (Set<String>) -> [String]
      init(_ order: @escaping @Sendable (Set<String>) -> [String]) { self.order = order }
      func add(_ name: String) { names.withLock { _ = $0.insert(name) } }
      var all: [String] { order(names.withLock { $0 }) }
    }
    @OperationBuilder<Names> var operations: [AnyOperation<Names>] {
      Operation("add", .keys) { names, name in names.add(name) }
      Operation("all") { names in names.all }
    }
    var result: DriftResult?
    try await findDrift(
      of: [.fake("set") { Names { isChance ? Array($0) : $0.sorted(by: >) } }],
      from: .fake("sorted") { Names { $0.sorted() } }, settings: .brief, filePath: file, operations
    ) { result = $0 }
    try? FileManager.default.removeItem(at: folder)
    let problem = try #require(result?.problems.first)
    #expect(
      problem.contains("set answers this otherwise from run to run") == isChance, "\(problem)")
  }

  @Test func longSentencesLeaveOutThePartsOfValues() async throws {
    let result = try await result(of: .notes(.orders)) {
      Operation("add", .texts) { (notes: any Notes, text) in notes.add(text) }.ignoringAnswer()
      Operation("all") { notes in
        notes.all().map { Entry(id: 1, text: $0 + String(repeating: " (", count: 60)) }
      }
    }
    let problem = try #require(result.problems.first)
    #expect(problem.contains("returns [Entry(…), Entry(…)] after"), "\(problem)")
  }

  @Test func comparesAPartOfAnAnswer() async throws {
    let result = try await result(of: .notes(.orders)) {
      Operation("add", .texts) { (notes: any Notes, text) in notes.add(text) }.ignoringAnswer()
      Operation("all") { notes in notes.all() }.comparing { $0.sorted() }
    }
    #expect(result.problems.isEmpty)
  }

  @Test(arguments: [
    (nil, nil), (MemoryNotes.Mistake.mixesIDs, "entries()"), (.namesOtherID, "textOf(add1)"),
  ])
  func idsThatEachSideChoosesAreAlikeInLaterAnswers(
    _ mistake: MemoryNotes.Mistake?, _ call: String?
  ) async throws {
    let result = try await result(of: .notes(mistake ?? .otherMessage)) {
      Operation("add", .texts) { (notes: any Notes, text) in notes.add(text) }.ignoringAnswer()
      Operation("remove", .result(of: "add")) { try $0.remove($1) }
      Operation("entries") { $0.entries() }
      Operation("textOf", .result(of: "add")) { notes, id in try notes.text(ofEntry: id) }
    }
    #expect(result.findings.map(\.last) == [call].compactMap(\.self))
  }

  @Test func comparesErrorsAsItIsTold() async throws {
    let result = try await result(of: .notes(.otherError)) {
      Operation("text", .keys) { (notes: any Notes, key) in try notes.text(for: key) }
        .comparingErrors { _ in 0 }
    }
    #expect(result.problems.isEmpty)
  }

  @Test func aKnownDifferenceIsAccepted() async throws {
    let result = try await result(of: .notes(.keepsFirst, .orders)) {
      Operation("set", .texts, .keys) { (notes: any Notes, text, key) in
        try notes.set(text, for: key)
      }
      Operation("text", .keys) { notes, key in try notes.text(for: key) }
        .differing(because: "the first text stays")
      Operation("add", .texts) { notes, text in notes.add(text) }.ignoringAnswer()
      Operation("all") { notes in notes.all() }
    }
    #expect(result.findings == [["add(\"a\")", "add(\"b\")", "all()"]])
    #expect(result.problems.count == 1)
  }

  @Test func aKnownDifferenceIsAcceptedOnlyUnderItsCondition() async throws {
    let result = try await result(of: .notes(.forgetsEmptyKey, .keepsFirst)) {
      Operation("set", .texts, .keys) { (notes: any Notes, text, key) in
        try notes.set(text, for: key)
      }
      Operation("text", .keys) { notes, key in try notes.text(for: key) }
        .differing(because: "the empty key is ignored") { key in key.isEmpty }
    }
    #expect(result.findings.map(\.last) == ["text(\"a\")"])
  }

  @Test(arguments: [
    (MemoryNotes.Mistake.crashesOnEmptyText, true), (.crashesOnEmptyText, false),
    (.hangsOnEmptyText, true),
  ])
  func aKnownCrashOrHangIsAcceptedOnlyUnderItsCondition(
    _ mistake: MemoryNotes.Mistake, _ isCondition: Bool
  ) async throws {
    var settings = ExplorationSettings.brief
    if mistake == .hangsOnEmptyText { settings.runLimit = .milliseconds(700) }
    let result = try await result(of: .notes(mistake, .keepsFirst), settings: settings) {
      Operation("set", .texts, .keys) { (notes: any Notes, text, key) in
        try notes.set(text, for: key)
      }
      .differing(because: "no text") { text, _ in text.isEmpty == isCondition }
      Operation("text", .keys) { notes, key in try notes.text(for: key) }
    }
    let ends = [["set(\"\", \"a\")"]]
    let found = Set(result.findings)
    #expect(
      found
        == Set(
          [["set(\"a\", \"a\")", "set(\"b\", \"a\")", "text(\"a\")"]] + (isCondition ? [] : ends)))
    #expect(result.problems.count == (isCondition ? 1 : 3))
  }

  @Test func aKnownDifferenceThatIsNotSeenFails() async throws {
    let result = try await result(of: .notes()) {
      Operation("add", .texts) { (notes: any Notes, text) in notes.add(text) }.ignoringAnswer()
      Operation("all") { notes in notes.all() }.differing(because: "the order is random")
      Operation("remove", .result(of: "add")) { try $0.remove($1) }
        .differing(because: "only the other fake removes twice", by: "other")
    }
    #expect(result.findings.isEmpty)
    #expect(result.problems.count == 1)
    #expect(result.problems.first?.contains("'all' (the order is random) was not seen") == true)
  }

  @Test(arguments: [true, false])
  func observesWhatReadsShow(_ isAfterEachCall: Bool) async throws {
    let observation: Observation<any Notes> =
      isAfterEachCall
      ? .afterEachCall("notes") { notes in notes.all() }
      : .atEnd("notes") { notes in notes.all() }
    let result = try await result(of: .notes(.orders), observing: [observation]) {
      Operation("add", .texts) { (notes: any Notes, text) in notes.add(text) }.ignoringAnswer()
    }
    #expect(result.findings == [["add(\"a\")", "add(\"b\")"]])
    let problem = try #require(result.problems.first)
    #expect(problem.contains("#expect(notes.all() == [\"a\", \"b\"])"))
    let sentence = #"notes returns ["a", "b"] after notes.add("a"), notes.add("b")"#
    #expect(problem.contains(String(reflecting: sentence)), "\(problem)")
  }

  @Test func anOperationsNameIsNoIDOfAClause() async throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(
      "Operation(\n  \"text\", .keys) { $0 }\n.result(of: \"text\")\nClause(\"add-all\", \"…\")"
        .utf8
    )
    .write(to: folder.appending(path: "Other.swift"))
    let result = try await result(of: .notes(.otherError)) {
      Operation("text", .keys) { (notes: any Notes, key) in try notes.text(for: key) }
    }
    #expect(result.problems.first?.contains("Clause(\n  \"text\", ") == true)
  }

  @Test func savedSequencesAreTriedFirst() async throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "drift-examples-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "Tests.swift").path
    // The process that makes the calls has no result of an exploration that is not its own.
    _ = try? await result(of: .notes(.keepsFirst), at: file) { return noteOperations }
    var settings = ExplorationSettings.brief
    settings.runs = 0
    let second = try await result(of: .notes(.keepsFirst), settings: settings, at: file) {
      return noteOperations
    }
    #expect(second.findings == [["set(\"a\", \"a\")", "set(\"b\", \"a\")", "text(\"a\")"]])
    #expect(second.problems.first?.contains("the saved example") == true)
  }

  @Test func anOperationThatIsNeverCalledFails() async throws {
    let result = try await result(of: .notes()) {
      Operation("all") { (notes: any Notes) in notes.all() }
      Operation("remove", .result(of: "all")) { try $0.remove($1) }
    }
    #expect(result.findings.isEmpty)
    #expect(result.problems.count == 1)
    #expect(
      result.problems.first?.hasPrefix(
        "'remove' was never called, because no call of 'all' returned on both sides") == true)
  }

  @Test func severalFakesAreComparedWithOneReference() async throws {
    var results: [DriftResult] = []
    try await findDrift(
      of: [.notes(.orders), .notes(), .notes(.removesTwice)], from: .reference,
      settings: .brief, filePath: file, noteOperations
    ) { results.append($0) }
    try? FileManager.default.removeItem(at: folder)
    #expect(
      results.map(\.findings) == [
        [["add(\"a\")", "add(\"b\")", "all()"]], [],
        [["add(\"a\")", "remove(add1)", "remove(add1)"]],
      ])
  }

  @Test func argumentsAreCombinedOfOthers() async throws {
    struct Note: Hashable {
      var key: String
      var text: String
    }
    let result = try await result(of: .notes(.keepsFirst)) {
      Operation(
        "set", .combining(.keys, .texts) { @Sendable key, text in Note(key: key, text: text) }
      ) {
        (notes: any Notes, note: Note) in try notes.set(note.text, for: note.key)
      }
      Operation("text", .keys) { notes, key in try notes.text(for: key) }
    }
    #expect(result.findings.map(\.count) == [3])
  }

  @Test func operationsThatCannotBeExploredAreRefused() async throws {
    await #expect(throws: OperationError.unknown("ad", in: "remove")) {
      try await exploreDrift(of: .notes(), from: .reference) {
        Operation("remove", .result(of: "ad")) { try $0.remove($1) }
      }
    }
    await #expect(throws: OperationError.noFirst) {
      try await exploreDrift(of: .notes(), from: .reference) {
        Operation("remove", .result(of: "remove")) { (notes: any Notes, id: Int) in
          try notes.remove(id)
        }
      }
    }
    await #expect(throws: OperationError.duplicate("all")) {
      try await exploreDrift(of: .notes(), from: .reference) {
        Operation("all") { notes in notes.all() }
        Operation("all") { notes in notes.all() }
      }
    }
  }
}
