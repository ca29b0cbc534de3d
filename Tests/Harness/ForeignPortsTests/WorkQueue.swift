import CSQLite
import ContractTesting
import DriftExploration
import Foundation
import SystemLocks
import Testing

/// A queue of work, as an app sees it. Its time is the caller's.
protocol WorkQueue: Sendable {
  /// Adds work. While there is work with the same key, nothing is added.
  /// - Returns: The id.
  func add(_ body: String, priority: Int, after seconds: Int, key: String?) throws(WorkError) -> Int
  /// Takes the work with the highest priority that is due, the oldest first.
  func take() throws(WorkError) -> TakenWork?
  /// Removes work that was taken.
  func finish(_ id: Int) throws(WorkError)
  /// Gives work back that was taken.
  func retry(_ id: Int, after seconds: Int) throws(WorkError)
  /// Removes work that was not taken.
  func cancel(_ id: Int) throws(WorkError)
  /// The amount of work that is due and not taken.
  func due() throws(WorkError) -> Int
  /// The amount of work that is not finished.
  func count() throws(WorkError) -> Int
  func wait(_ seconds: Int) throws(WorkError)
}

struct TakenWork: Hashable, Sendable {
  var id: Int
  var body: String
  var attempt: Int
}

enum WorkError: Error, Hashable {
  case duplicateKey
  case notTaken
  case notWaiting
  case failed(message: String)
}

/// The fake: an array.
final class MemoryQueue: WorkQueue {
  private struct Entry {
    var id: Int
    var body: String
    var priority: Int
    var due: Int
    var key: String?
    var attempts = 0
    var isTaken = false
  }

  private struct State {
    var entries: [Entry] = []
    var usedKeys: Set<String> = []
    var last = 0
    var now = 0
  }

  private let state: Mutex<State>
  private let flaw: WorkFlaw?

  init(_ flaw: WorkFlaw? = nil) {
    self.flaw = flaw
    state = Mutex(State())
  }

  func add(
    _ body: String, priority: Int, after seconds: Int, key: String?
  ) throws(WorkError) -> Int {
    let id = state.withLock { state -> Int? in
      if let key, flaw != .ignoresKeys {
        if state.entries.contains(where: { $0.key == key }) { return nil }
        if flaw == .keepsKeys, !state.usedKeys.insert(key).inserted { return nil }
      }
      state.last += 1
      if flaw == .losesDelayedWork, seconds > 0 { return state.last }
      state.entries.append(
        Entry(
          id: state.last, body: body, priority: flaw == .ignoresPriority ? 0 : priority,
          due: flaw == .ignoresDelay ? 0 : state.now + seconds, key: key))
      return state.last
    }
    guard let id else { throw .duplicateKey }
    return id
  }

  func take() -> TakenWork? {
    state.withLock { state in
      let ready = state.entries.indices.filter { isDue(state.entries[$0], at: state.now) }
      guard
        let next = ready.max(by: { state.entries[$0].priority < state.entries[$1].priority }),
        let first = ready.first(where: {
          state.entries[$0].priority == state.entries[next].priority
        })
      else { return nil }
      state.entries[first].isTaken = true
      state.entries[first].attempts += 1
      let entry = state.entries[first]
      return TakenWork(id: entry.id, body: entry.body, attempt: entry.attempts)
    }
  }

  func finish(_ id: Int) throws(WorkError) {
    try remove(id, isTaken: true)
  }

  func retry(_ id: Int, after seconds: Int) throws(WorkError) {
    let isTaken = state.withLock { state in
      guard let index = state.entries.firstIndex(where: { $0.id == id && $0.isTaken }) else {
        return false
      }
      var entry = state.entries[index]
      entry.isTaken = false
      entry.due = state.now + seconds
      switch flaw {
      case .retryForgetsPriority: entry.priority = 0
      case .retryForgetsAttempts: entry.attempts = 0
      case .retryWithDelayNeverComes: if seconds > 0 { entry.due = .max }
      default: break
      }
      state.entries[index] = entry
      if flaw == .retryGoesLast { state.entries.append(state.entries.remove(at: index)) }
      return true
    }
    if !isTaken { throw .notTaken }
  }

  func cancel(_ id: Int) throws(WorkError) {
    try remove(id, isTaken: false)
  }

  func due() -> Int {
    state.withLock { state in
      state.entries.count {
        flaw == .delayedWorkIsDue ? !$0.isTaken : isDue($0, at: state.now)
      }
    }
  }

  func count() -> Int { state.withLock { $0.entries.count } }
  func wait(_ seconds: Int) { state.withLock { $0.now += seconds } }

  private func isDue(_ entry: Entry, at now: Int) -> Bool { !entry.isTaken && entry.due <= now }

  private func remove(_ id: Int, isTaken: Bool) throws(WorkError) {
    let isRemoved = state.withLock { state in
      let index = state.entries.firstIndex { $0.id == id && $0.isTaken == isTaken }
      if let index { state.entries.remove(at: index) }
      return index != nil
    }
    if !isRemoved { throw isTaken ? .notTaken : .notWaiting }
  }
}

enum WorkFlaw: String, ReportedFlaw {
  case ignoresKeys  // exq issue 492
  case ignoresDelay  // sidekiq issue 2255
  case keepsKeys  // laravel issue 58533
  case losesDelayedWork  // sidekiq issue 5756
  case ignoresPriority  // flow-core-x issue 156
  case retryForgetsPriority  // bull issue 1755
  case retryForgetsAttempts  // vapor-queues-fluent-driver pull request 15
  case retryWithDelayNeverComes  // vapor-queues-fluent-driver pull request 15
  case delayedWorkIsDue  // laravel pull request 60972
  case retryGoesLast  // bullmq issue 2162

  var calls: ClosedRange<Int> {
    switch self {
    case .ignoresKeys, .ignoresDelay, .losesDelayedWork, .delayedWorkIsDue: 2...2
    case .keepsKeys, .ignoresPriority: 3...3
    case .retryForgetsAttempts: 4...4
    // With other work in the queue, the two sides take different work.
    case .retryWithDelayNeverComes: 5...6
    default: 5...5
    }
  }
}

/// The real thing: a table of SQLite.
final class SQLiteQueue: WorkQueue {
  // Unchecked, and sound: an exploration calls one side from one task at a time.
  private nonisolated(unsafe) let handle: OpaquePointer?

  init(path: String) throws(WorkError) {
    var handle: OpaquePointer?
    sqlite3_open(path, &handle)
    self.handle = handle
    try run(
      """
      PRAGMA synchronous = OFF;
      CREATE TABLE work(id INTEGER PRIMARY KEY AUTOINCREMENT, body, priority, due, key UNIQUE,
        attempts DEFAULT 0, taken DEFAULT 0);
      CREATE TABLE clock(now); INSERT INTO clock VALUES(0);
      """)
  }

  deinit { sqlite3_close(handle) }

  func add(
    _ body: String, priority: Int, after seconds: Int, key: String?
  ) throws(WorkError) -> Int {
    let rows = try run(
      """
      INSERT OR IGNORE INTO work(body, priority, due, key)
      SELECT \(Self.quoted(body)), \(priority), now + \(seconds), \(key.map(Self.quoted) ?? "NULL")
      FROM clock RETURNING id
      """)
    guard let id = rows.first.flatMap({ Int($0[0]) }) else { throw .duplicateKey }
    return id
  }

  func take() throws(WorkError) -> TakenWork? {
    let rows = try run(
      """
      UPDATE work SET taken = 1, attempts = attempts + 1 WHERE id = (
        SELECT id FROM work, clock WHERE NOT taken AND due <= now ORDER BY priority DESC, id LIMIT 1)
      RETURNING id, body, attempts
      """)
    return rows.first.map {
      TakenWork(id: Int($0[0]) ?? 0, body: $0[1], attempt: Int($0[2]) ?? 0)
    }
  }

  func finish(_ id: Int) throws(WorkError) {
    if try run("DELETE FROM work WHERE id = \(id) AND taken RETURNING id").isEmpty {
      throw .notTaken
    }
  }

  func retry(_ id: Int, after seconds: Int) throws(WorkError) {
    let rows = try run(
      """
      UPDATE work SET taken = 0, due = (SELECT now FROM clock) + \(seconds)
      WHERE id = \(id) AND taken RETURNING id
      """)
    if rows.isEmpty { throw .notTaken }
  }

  func cancel(_ id: Int) throws(WorkError) {
    if try run("DELETE FROM work WHERE id = \(id) AND NOT taken RETURNING id").isEmpty {
      throw .notWaiting
    }
  }

  func due() throws(WorkError) -> Int {
    try number("SELECT COUNT(*) FROM work, clock WHERE NOT taken AND due <= now")
  }

  func count() throws(WorkError) -> Int { try number("SELECT COUNT(*) FROM work") }
  func wait(_ seconds: Int) throws(WorkError) { try run("UPDATE clock SET now = now + \(seconds)") }

  private static func quoted(_ text: String) -> String {
    "'\(text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''"))'"
  }

  private func number(_ query: String) throws(WorkError) -> Int {
    try run(query).first.flatMap { Int($0[0]) } ?? 0
  }

  /// Runs statements, and returns the rows of all.
  @discardableResult
  private func run(_ statements: String) throws(WorkError) -> [[String]] {
    final class Rows { var all: [[String]] = [] }
    let rows = Rows()
    let result = sqlite3_exec(
      handle, statements,
      { context, count, values, _ in
        let row = (0..<Int(count)).map { index in
          values?[index].map { String(cString: $0) } ?? ""
        }
        context.map { Unmanaged<Rows>.fromOpaque($0).takeUnretainedValue().all.append(row) }
        return 0
      }, Unmanaged.passUnretained(rows).toOpaque(), nil)
    guard result == SQLITE_OK else {
      throw .failed(message: String(cString: sqlite3_errmsg(handle)))
    }
    return rows.all
  }
}

extension Implementation<any WorkQueue> {
  static let sqlite = live("sqlite") { scope in
    try SQLiteQueue(path: scope.temporaryDirectory().appending(path: "work.sqlite").path)
  }

  static func memory(_ flaw: WorkFlaw? = nil) -> Self { fake("memory") { MemoryQueue(flaw) } }
}

@OperationBuilder<any WorkQueue> private var operations: [AnyOperation<any WorkQueue>] {
  let seconds = Domain.of(0, 1, 10)
  Operation("add", .of("a", "b", "it's"), .of(0, 1, -1), seconds, .optional(.keys)) {
    queue, body, priority, seconds, key in
    try queue.add(body, priority: priority, after: seconds, key: key)
  }.ignoringAnswer()
  Operation("take") { try $0.take() }
    .comparing { $0.map { [$0.body, "\($0.attempt)"] } }
  Operation("finish", .result(of: "take", \TakenWork.id)) { try $0.finish($1) }
  Operation("retry", .result(of: "take", \TakenWork.id), seconds) { try $0.retry($1, after: $2) }
  Operation("cancel", .result(of: "add")) { try $0.cancel($1) }
  Operation("due") { try $0.due() }
  Operation("count") { try $0.count() }
  Operation("wait", seconds) { try $0.wait($1) }
}

@Suite struct WorkQueueDriftTests {
  @Test func theFakeBehavesLikeSQLite() async throws {
    try await exploreDrift(of: .memory(), from: .sqlite, settings: .foreign) { return operations }
  }

  @Test(arguments: WorkFlaw.sought)
  func reportedFlawsAreFound(_ flaw: WorkFlaw) async throws {
    try await expectFinding(of: flaw, in: .memory(flaw), from: .sqlite, operations)
  }
}
