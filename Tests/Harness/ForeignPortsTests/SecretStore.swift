import ContractTesting
import DriftExploration
import Foundation
import SystemLocks
import Testing

/// A store for passwords and tokens, as an app sees it.
protocol SecretStore: Sendable {
  /// Adds a secret, or replaces the one of that name.
  func save(_ secret: [UInt8], for name: String) throws(SecretError)
  func secret(for name: String) throws(SecretError) -> [UInt8]
  func contains(_ name: String) throws(SecretError) -> Bool
  /// Replaces a secret that is there.
  func update(_ name: String, to secret: [UInt8]) throws(SecretError)
  func remove(_ name: String) throws(SecretError)
  /// Makes a secret unreadable for ever. Its name is not listed.
  func revoke(_ name: String) throws(SecretError)
  /// Forbids changes of a secret.
  func lock(_ name: String) throws(SecretError)
  func names() throws(SecretError) -> [String]
}

enum SecretError: Error, Hashable {
  case missing
  case revoked
  case locked
  case invalid
  case failed(message: String)
}

/// The fake: a dictionary.
final class MemorySecrets: SecretStore {
  private struct Entry {
    var secret: [UInt8]
    var isRevoked = false
    var isLocked = false
  }

  private let entries = Mutex<[String: Entry]>([:])
  private let flaw: SecretFlaw?

  init(_ flaw: SecretFlaw? = nil) { self.flaw = flaw }

  func save(_ secret: [UInt8], for name: String) throws(SecretError) {
    if secret.isEmpty, flaw == .emptySecretRemoves { return try remove(name) }
    guard !secret.isEmpty, secret.count <= 32_767, !name.isEmpty else { throw .invalid }
    if let entry = entries.withLock({ $0[name] }), !entry.isRevoked {
      if flaw == .refusesToReplace { throw .invalid }
      if flaw == .keepsFirstSecret { return }
      if entry.isLocked { throw .locked }
    }
    let kept = flaw == .endsAtZeroByte ? secret.prefix { $0 != 0 } : secret[...]
    entries.withLock { $0[name] = Entry(secret: Array(kept)) }
  }

  func secret(for name: String) throws(SecretError) -> [UInt8] { try entry(name).secret }

  func contains(_ name: String) throws(SecretError) -> Bool {
    if flaw == .containsEverything { return true }
    do throws(SecretError) { _ = try entry(name) } catch {
      if error == .missing { return false }
      throw error
    }
    return true
  }

  func update(_ name: String, to secret: [UInt8]) throws(SecretError) {
    if flaw == .updateAdds, entries.withLock({ $0[name] }) == nil {
      return try save(secret, for: name)
    }
    let entry = try entry(name)
    // The kernel accepts more than a page for a new secret, but not for an update.
    if secret.count > 4_096 { throw .invalid }
    if flaw == .updateUnlocks {
      entries.withLock { $0[name]?.isLocked = false }
    } else if entry.isLocked {
      throw .locked
    }
    if secret.isEmpty { throw .invalid }
    entries.withLock { $0[name]?.secret = secret }
  }

  func remove(_ name: String) throws(SecretError) {
    do throws(SecretError) { _ = try entry(name) } catch {
      if error == .missing, flaw == .removesWhatIsMissing { return }
      throw error
    }
    if flaw == .removedIsListed {
      entries.withLock { $0[name]?.secret = [] }
    } else {
      entries.withLock { $0[name] = nil }
    }
  }

  func revoke(_ name: String) throws(SecretError) {
    _ = try entry(name)
    entries.withLock { $0[name]?.isRevoked = true }
  }

  func lock(_ name: String) throws(SecretError) {
    _ = try entry(name)
    entries.withLock { $0[name]?.isLocked = true }
  }

  func names() -> [String] {
    entries.withLock { $0.filter { !$0.value.isRevoked }.keys.sorted() }
  }

  private func entry(_ name: String) throws(SecretError) -> Entry {
    guard let entry = entries.withLock({ $0[name] }) else { throw .missing }
    if entry.isRevoked { throw flaw == .revokedIsMissing ? .missing : .revoked }
    return entry
  }
}

enum SecretFlaw: String, ReportedFlaw {
  case containsEverything  // flutter_secure_storage issue 338
  case refusesToReplace  // react-native-keychain issue 813
  case removesWhatIsMissing  // flutter_secure_storage issue 307
  case emptySecretRemoves  // flutter_secure_storage pull request 95
  case updateAdds  // SAMKeychain pull request 65
  case updateUnlocks  // Sequel-Ace pull request 2614
  case revokedIsMissing  // vultisig-ios pull request 5054
  case keepsFirstSecret  // Sequel-Ace pull request 2614
  case removedIsListed  // SAMKeychain pull request 15
  case endsAtZeroByte  // Sequel-Ace pull request 2614

  var calls: ClosedRange<Int> {
    switch self {
    case .containsEverything, .removesWhatIsMissing, .emptySecretRemoves, .updateAdds: 1...1
    case .endsAtZeroByte: 2...2
    // The real store refuses too if the secret is locked, which is a difference of another kind.
    case .refusesToReplace: 2...3
    default: 3...3
    }
  }
}

/// The real thing: a keyring of the Linux kernel; see keyrings(7).
final class KernelKeyring: SecretStore {
  private let keyring: Int
  /// The keyring of this process, in which the store's own keyring is.
  private static let process = -2

  struct Unavailable: UnavailabilityError {
    var unavailabilityReason: String? { "the kernel refuses keyrings (\(reason))" }
    var reason: String
  }

  init(name: String) throws(Unavailable) {
    guard Platform.current == .linux else { throw Unavailable(reason: "it is not Linux") }
    keyring = Self.call(Self.addKey, "keyring", name, 0, 0, Self.process)
    if keyring < 0 { throw Unavailable(reason: String(cString: strerror(errno))) }
  }

  deinit { _ = Self.call(Self.keyControl, 9, keyring, Self.process, 0, 0) }

  func save(_ secret: [UInt8], for name: String) throws(SecretError) {
    let result = secret.withUnsafeBytes { bytes in
      Self.call(
        Self.addKey, "user", name, Int(bitPattern: bytes.baseAddress), bytes.count, keyring)
    }
    _ = try check(result)
  }

  func secret(for name: String) throws(SecretError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 32_768)
    let key = try find(name)
    let count = bytes.withUnsafeMutableBytes {
      Self.call(Self.keyControl, 11, key, Int(bitPattern: $0.baseAddress), $0.count, 0)
    }
    return Array(bytes.prefix(try check(count)))
  }

  func contains(_ name: String) throws(SecretError) -> Bool {
    do throws(SecretError) { _ = try find(name) } catch {
      if error == .missing { return false }
      throw error
    }
    return true
  }

  func update(_ name: String, to secret: [UInt8]) throws(SecretError) {
    let key = try find(name)
    let result = secret.withUnsafeBytes { bytes in
      Self.call(
        Self.keyControl, 2, key, Int(bitPattern: bytes.baseAddress), bytes.count, 0)
    }
    _ = try check(result)
  }

  func remove(_ name: String) throws(SecretError) {
    _ = try check(Self.call(Self.keyControl, 9, try find(name), keyring, 0, 0))
  }

  func revoke(_ name: String) throws(SecretError) {
    _ = try check(Self.call(Self.keyControl, 3, try find(name), 0, 0, 0))
  }

  func lock(_ name: String) throws(SecretError) {
    // The possessor may view, read, search, link and set attributes, but not write.
    _ = try check(Self.call(Self.keyControl, 5, try find(name), 0x3b00_0000, 0, 0))
  }

  func names() throws(SecretError) -> [String] {
    var keys = [Int32](repeating: 0, count: 256)
    let size = keys.withUnsafeMutableBytes {
      Self.call(Self.keyControl, 11, keyring, Int(bitPattern: $0.baseAddress), $0.count, 0)
    }
    var names: [String] = []
    for key in keys.prefix(try check(size) / 4) {
      var text = [UInt8](repeating: 0, count: 5_000)
      let count = text.withUnsafeMutableBytes {
        Self.call(Self.keyControl, 6, Int(key), Int(bitPattern: $0.baseAddress), $0.count, 0)
      }
      if count < 0, errno == Self.keyRevoked { continue }
      let parts = String(decoding: text.prefix(try check(count) - 1), as: UTF8.self)
        .split(separator: ";", maxSplits: 4, omittingEmptySubsequences: false)
      names.append(String(parts[4]))
    }
    return names.sorted()
  }

  private func find(_ name: String) throws(SecretError) -> Int {
    let result = "user".withCString { type in
      name.withCString { name in
        Self.call(
          Self.keyControl, 10, keyring, Int(bitPattern: type), Int(bitPattern: name), 0)
      }
    }
    return try check(result)
  }

  private func check(_ result: Int) throws(SecretError) -> Int {
    guard result < 0 else { return result }
    switch errno {
    case Self.noKey: throw .missing
    case Self.keyRevoked: throw .revoked
    case EACCES: throw .locked
    case EINVAL: throw .invalid
    default: throw .failed(message: String(cString: strerror(errno)))
    }
  }

  // MARK: - System calls

  // ENOKEY and EKEYREVOKED, which other systems don't have.
  private static let (noKey, keyRevoked) = (Int32(126), Int32(128))

  #if arch(x86_64)
    private static let (addKey, keyControl) = (248, 250)
  #else
    private static let (addKey, keyControl) = (217, 219)
  #endif

  private static func call(
    _ number: Int, _ type: String, _ name: String, _ bytes: Int, _ count: Int, _ keyring: Int
  ) -> Int {
    type.withCString { type in
      name.withCString { name in
        call(number, Int(bitPattern: type), Int(bitPattern: name), bytes, count, keyring)
      }
    }
  }

  private static func call(
    _ number: Int, _ a: Int, _ b: Int, _ c: Int, _ d: Int, _ e: Int
  ) -> Int { systemCall?(number, a, b, c, d, e) ?? -1 }

  /// `syscall` takes a variable number of arguments, which Swift can't pass; all are integers here, which
  /// these architectures pass alike.
  private static let systemCall = dlsym(nil, "syscall").map {
    unsafeBitCast($0, to: (@convention(c) (Int, Int, Int, Int, Int, Int) -> Int).self)
  }
}

extension Implementation<any SecretStore> {
  static let kernel = live("kernel") { scope in try KernelKeyring(name: scope.namespace()) }

  static func memory(_ flaw: SecretFlaw? = nil) -> Self {
    fake("memory") { MemorySecrets(flaw) }
  }
}

@OperationBuilder<any SecretStore> private var operations: [AnyOperation<any SecretStore>] {
  Operation("save", .bytes, .keys) { try $0.save($1, for: $2) }
  Operation("secret", .keys) { try $0.secret(for: $1) }
  Operation("contains", .keys) { try $0.contains($1) }
  Operation("update", .keys, .bytes) { try $0.update($1, to: $2) }
  Operation("remove", .keys) { try $0.remove($1) }
  Operation("revoke", .keys) { try $0.revoke($1) }
  Operation("lock", .keys) { try $0.lock($1) }
  Operation("names") { try $0.names() }
}

@Suite struct SecretStoreDriftTests {
  @Test func theFakeBehavesLikeTheKernel() async throws {
    try await exploreDrift(of: .memory(), from: .kernel, settings: .foreign) { return operations }
  }

  @Test(arguments: SecretFlaw.sought)
  func reportedFlawsAreFound(_ flaw: SecretFlaw) async throws {
    try await expectFinding(of: flaw, in: .memory(flaw), from: .kernel, operations)
  }
}
