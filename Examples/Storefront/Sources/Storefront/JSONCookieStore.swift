public import CookiePort
public import Foundation
import Synchronization

/// A cookie store in one JSON file. Any number of handles and processes can share the file.
///
/// Each operation locks the file, reads it and, if a cookie changed, replaces it. When an operation
/// returns, its changes are in the file, and no other handle's changes are lost. This is simple but
/// takes time proportional to the number of cookies: use it for a few hundred.
public final class JSONCookieStore: CookieStore {
  private let file: URL
  private let policy: CookiePolicy
  private let now: @Sendable () -> Date
  /// Those that have ended stay, because an app has few.
  private let listeners = Mutex<[AsyncStream<CookieChange>.Continuation]>([])

  /// Opens a store. The first operation that adds a cookie creates the file.
  ///
  /// - Parameters:
  ///   - file: The file. Its lock is a file next to it with the extension `lock` added.
  ///   - policy: The rules for accepting and sending cookies.
  ///   - now: Returns the current time.
  public init(
    _ file: URL, policy: CookiePolicy = CookiePolicy(),
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.file = file
    self.policy = policy
    self.now = now
  }

  deinit { for listener in listeners.withLock(\.self) { listener.finish() } }

  @discardableResult
  public func store(
    _ setCookie: String, from request: CookieRequest
  ) throws(CookieStoreError) -> CookieChange? {
    try change { jar, now, onChange throws(CookieRejection) in
      try jar.store(setCookie, from: request, now: now, onChange: onChange)
    }
  }

  public func cookies(for request: CookieRequest) throws(CookieStoreError) -> [Cookie] {
    try change { jar, now, _ in jar.cookies(for: request, now: now) }
  }

  public func all() throws(CookieStoreError) -> [Cookie] {
    try change { jar, now, _ in jar.all(now: now) }
  }

  public func restore(_ cookies: [Cookie]) throws(CookieStoreError) {
    try change { jar, now, onChange throws(CookieRejection) in
      try jar.restore(cookies, now: now, onChange: onChange)
    }
  }

  @discardableResult
  public func delete(_ id: Cookie.ID) throws(CookieStoreError) -> Bool {
    try change { jar, now, onChange in jar.delete(id, now: now, onChange: onChange) }
  }

  // `async`, because asynchronous code would otherwise prefer the protocol's default implementation.
  @discardableResult
  public func deleteAll(under domain: String) async throws(CookieStoreError) -> Int {
    try change { jar, now, onChange in
      jar.deleteAll(under: domain, now: now, onChange: onChange)
    }
  }

  public func clear() throws(CookieStoreError) {
    try change { jar, _, onChange in jar.clear(onChange: onChange) }
  }

  @discardableResult
  public func removeExpired() throws(CookieStoreError) -> Int {
    try change { jar, now, onChange in jar.removeExpired(now: now, onChange: onChange) }
  }

  public func endSession() throws(CookieStoreError) {
    try change { jar, _, onChange in jar.endSession(onChange: onChange) }
  }

  public func flush() {}

  public func changes() -> AsyncStream<CookieChange> {
    let (stream, continuation) = AsyncStream<CookieChange>.makeStream()
    listeners.withLock { $0.append(continuation) }
    return stream
  }

  /// Runs an operation on the file's cookies under the lock, and notifies this store's listeners.
  private func change<Value>(
    _ body: (inout CookieJar, Date, (CookieChange) -> Void) throws(CookieRejection) -> Value
  ) throws(CookieStoreError) -> Value {
    let lock = try FileLock(file.appendingPathExtension("lock"))
    defer { lock.release() }
    var jar = try read()
    var changes: [CookieChange] = []
    let value: Value
    do throws(CookieRejection) {
      value = try body(&jar, now()) { changes.append($0) }
    } catch {
      throw .rejected(error)
    }
    try write(jar)
    let listeners = listeners.withLock(\.self)
    for change in changes {
      for listener in listeners { listener.yield(change) }
    }
    return value
  }

  private func read() throws(CookieStoreError) -> CookieJar {
    guard FileManager.default.fileExists(atPath: file.path) else {
      return CookieJar(policy: policy)
    }
    do {
      let cookies = try JSONCookieFile.cookies(
        in: Data(contentsOf: file), profile: policy.profile)
      return CookieJar(policy: policy, holding: cookies)
    } catch let error as CookieFileError {
      throw failure(.corrupt, "\(error)")
    } catch {
      throw failure(.notPermitted, "\(error)")
    }
  }

  /// Writes a new file and renames it, so a crash leaves either the old or the new content.
  ///
  /// The file gets mode 0600 before its content, so other users can never read a cookie.
  private func write(_ jar: CookieJar) throws(CookieStoreError) {
    let new = file.appendingPathExtension("new")
    do {
      let data = try JSONCookieFile.data(for: jar.all(now: .distantPast))
      _ = FileManager.default.createFile(
        atPath: new.path, contents: nil, attributes: [.posixPermissions: 0o600])
      try data.write(to: new)
    } catch {
      throw failure(.notPermitted, "\(error)")
    }
    guard rename(new.path, file.path) == 0 else {
      throw failure(.notPermitted, String(cString: strerror(errno)))
    }
  }

  private func failure(_ kind: CookieStorageFailure.Kind, _ detail: String) -> CookieStoreError {
    .storage(CookieStorageFailure(kind, subject: file.path, detail: detail))
  }
}
