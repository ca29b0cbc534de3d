/// The tasks of one exploration and the check of what they leave behind.
///
/// It is built anew for every schedule, so everything that the tasks share must be made in the
/// closure that builds it.
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

  init() {}

  /// Forgets the tasks and checks, keeping the storage.
  mutating func removeAll() {
    tasks.removeAll(keepingCapacity: true)
    checks.removeAll(keepingCapacity: true)
  }

  /// Adds a task, which starts together with the others.
  ///
  /// - Parameters:
  ///   - name: How traces and deadlock reports call it; by default a letter or a number.
  ///   - body: What it does. An error that it throws is a failure of the schedule.
  public mutating func task(
    _ name: String? = nil, _ body: @escaping @Sendable () async throws -> Void
  ) {
    tasks.append(Member(name: name ?? Self.defaultName(tasks.count), body: body))
  }

  /// Adds a check that runs once every task is over.
  ///
  /// - Parameter body: Throws when what the tasks left behind is wrong.
  public mutating func check(_ body: @escaping @Sendable () async throws -> Void) {
    checks.append(.asynchronous(body))
  }

  /// Adds a check that needs no `await`, which makes the search faster.
  ///
  /// - Parameter body: Throws when what the tasks left behind is wrong.
  public mutating func check(_ body: @escaping @Sendable () throws -> Void) {
    checks.append(.synchronous(body))
  }

  private static let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ".map { String($0) }

  private static func defaultName(_ index: Int) -> String {
    index < letters.count ? letters[index] : "task \(index + 1)"
  }
}
