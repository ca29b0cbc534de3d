import CookiePort
import Foundation
import SystemLocks

/// What a ``FlawedCookieStore`` does wrong. The defaults are correct.
struct CookieStoreFlaw: Sendable {
  /// Changes a line before it is stored.
  var line: @Sendable (String) -> String = { $0 }

  /// Changes a request, of a line and of a lookup.
  var request: @Sendable (inout CookieRequest) -> Void = { _ in }

  /// Changes the policy that the store is given.
  var policy: @Sendable (inout CookiePolicy) -> Void = { _ in }

  /// Changes the time that the store reads from its clock.
  var now: @Sendable (Date) -> Date = { $0 }

  /// Changes the cookies of a lookup.
  var sent: @Sendable (inout [Cookie]) -> Void = { _ in }

  /// Changes what subscribers are told of one change.
  var told: @Sendable (CookieChange) -> CookieChange? = { $0 }

  /// How cookies are kept.
  var storage = Storage.memory

  /// Where cookies are kept, and how operations of several handles exclude each other.
  enum Storage {
    case memory
    /// A file, which each operation locks, reads and writes.
    case file
    /// A file without a lock.
    case unlockedFile
    /// A file that is read once and written by a flush.
    case flushedFile
  }

  /// The permissions of the file.
  var fileMode = 0o600
}

/// A correct store, except for one flaw.
final class FlawedCookieStore: CookieStore {
  private let flaw: CookieStoreFlaw
  private let policy: CookiePolicy
  private let now: @Sendable () -> Date
  private let file: URL?
  private let jar: Mutex<CookieJar?>
  private let broadcaster = CookieChangeBroadcaster()

  /// Locks the files of all stores.
  private static let fileLock = Mutex(())

  init(_ setup: CookieStoreSetup, _ flaw: CookieStoreFlaw) throws {
    self.flaw = flaw
    var policy = setup.policy
    flaw.policy(&policy)
    self.policy = policy
    now = { flaw.now(setup.now()) }
    file = flaw.storage == .memory ? nil : try setup.directory().appending(path: "cookies.json")
    jar = Mutex(flaw.storage == .memory ? CookieJar(policy: policy) : nil)
  }

  @discardableResult
  func store(
    _ setCookie: String, from request: CookieRequest
  ) async throws(CookieStoreError) -> CookieChange? {
    var request = request
    flaw.request(&request)
    return try await perform { [request] jar throws(CookieRejection) in
      try jar.store(self.flaw.line(setCookie), from: request, now: self.now(), onChange: self.tell)
    }
  }

  func cookies(for request: CookieRequest) async throws(CookieStoreError) -> [Cookie] {
    var request = request
    flaw.request(&request)
    var found = try await perform { [request] jar in
      jar.cookies(for: request, now: self.now())
    }
    flaw.sent(&found)
    return found
  }

  func all() async throws(CookieStoreError) -> [Cookie] {
    try await perform { $0.all(now: self.now()) }
  }

  func restore(_ cookies: [Cookie]) async throws(CookieStoreError) {
    try await perform { jar throws(CookieRejection) in
      try jar.restore(cookies, now: self.now(), onChange: self.tell)
    }
  }

  @discardableResult
  func delete(_ id: Cookie.ID) async throws(CookieStoreError) -> Bool {
    try await perform { $0.delete(id, now: self.now(), onChange: self.tell) }
  }

  func clear() async throws(CookieStoreError) {
    try await perform { $0.clear(onChange: self.tell) }
  }

  @discardableResult
  func removeExpired() async throws(CookieStoreError) -> Int {
    try await perform { $0.removeExpired(now: self.now(), onChange: self.tell) }
  }

  func endSession() async throws(CookieStoreError) {
    try await perform { $0.endSession(onChange: self.tell) }
  }

  func flush() async throws(CookieStoreError) {
    if let jar = jar.withLock({ $0 }) { try write(jar) }
  }

  func changes() -> AsyncStream<CookieChange> { broadcaster.stream() }

  private func tell(_ change: CookieChange) {
    if let change = flaw.told(change) { broadcaster.send(change) }
  }

  // MARK: The file

  /// Runs an operation on the jar, or on the file.
  private func perform<Result: Sendable>(
    _ operation: @Sendable (inout CookieJar) throws(CookieRejection) -> Result
  ) async throws(CookieStoreError) -> Result {
    switch flaw.storage {
    case .memory, .flushedFile:
      return try jar.withLock { jar throws(CookieStoreError) in
        var present = jar ?? read()
        defer { jar = present }
        return try Self.run(operation, on: &present)
      }
    case .file:
      return try Self.fileLock.withLock { _ throws(CookieStoreError) in
        var present = read()
        let result = try Self.run(operation, on: &present)
        try write(present)
        return result
      }
    case .unlockedFile:
      var present = read()
      // Meanwhile another handle may write.
      await Task.yield()
      let result = try Self.run(operation, on: &present)
      try write(present)
      return result
    }
  }

  private static func run<Result>(
    _ operation: (inout CookieJar) throws(CookieRejection) -> Result, on jar: inout CookieJar
  ) throws(CookieStoreError) -> Result {
    do throws(CookieRejection) { return try operation(&jar) } catch { throw .rejected(error) }
  }

  private func read() -> CookieJar {
    let data = file.flatMap { try? Data(contentsOf: $0) }
    let cookies = data.flatMap { try? JSONDecoder().decode([Cookie].self, from: $0) }
    return CookieJar(policy: policy, holding: cookies ?? [])
  }

  private func write(_ jar: CookieJar) throws(CookieStoreError) {
    guard let file else { return }
    do {
      try JSONEncoder().encode(jar.all(now: .distantPast)).write(to: file, options: .atomic)
      try FileManager.default.setAttributes(
        [.posixPermissions: flaw.fileMode], ofItemAtPath: file.path)
    } catch {
      throw .storage(CookieStorageFailure(.other, subject: file.path, detail: "\(error)"))
    }
  }
}
