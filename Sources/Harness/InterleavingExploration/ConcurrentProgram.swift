/// The tasks of an exploration, and the checks of the state that they leave.
///
/// It is built again for every schedule, so create everything that the tasks share in the closure
/// that builds it.
///
/// ```swift
/// let report = await exploreInterleavings { program in
///   let account = Account(balance: 100)
///   program.task("A") { await account.withdraw(80) }
///   program.task("B") { await account.withdraw(80) }
///   program.check {
///     if await account.balance < 0 { throw Overdrawn() }
///   }
/// }
/// ```
public struct ConcurrentProgram {
  struct Member {
    var name: String
    var body: @Sendable () async throws -> Void
  }

  enum Check {
    case synchronous(@Sendable () throws -> Void)
    case asynchronous(@Sendable () async throws -> Void)
  }

  var tasks: [Member] = []
  var checks: [Check] = []
  var tearDowns: [@Sendable () throws -> Void] = []

  init() {}

  /// Removes the tasks and checks and keeps the storage.
  mutating func removeAll() {
    tasks.removeAll(keepingCapacity: true)
    checks.removeAll(keepingCapacity: true)
    if !tearDowns.isEmpty { tearDowns.removeAll(keepingCapacity: true) }
  }

  /// Adds a task. All tasks start together.
  ///
  /// - Parameters:
  ///   - name: The name in traces and deadlock reports; by default a letter or a number.
  ///   - body: The task's operation. An error that it throws is a failure of the schedule.
  public mutating func task(
    _ name: String? = nil, _ body: @escaping @Sendable () async throws -> Void
  ) {
    tasks.append(Member(name: name ?? Self.defaultName(tasks.count), body: body))
  }

  /// Adds a check that runs when every task has ended.
  ///
  /// - Parameter body: Throws an error if the state is wrong.
  public mutating func check(_ body: @escaping @Sendable () async throws -> Void) {
    checks.append(.asynchronous(body))
  }

  /// Adds a synchronous check that runs when every task has ended. It is faster than an
  /// asynchronous one.
  ///
  /// - Parameter body: Throws an error if the state is wrong.
  public mutating func check(_ body: @escaping @Sendable () throws -> Void) {
    checks.append(.synchronous(body))
  }

  /// Adds a function that runs at the end of every schedule, also if it fails or cannot end.
  ///
  /// - Parameter body: Frees what the program has created. An error that it throws is a failure
  ///   of the schedule, unless that has failed already.
  public mutating func tearDown(_ body: @escaping @Sendable () throws -> Void) {
    tearDowns.append(body)
  }

  private static let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ".map { String($0) }

  private static func defaultName(_ index: Int) -> String {
    index < letters.count ? letters[index] : "task \(index + 1)"
  }
}
