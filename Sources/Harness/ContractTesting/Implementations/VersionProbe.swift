import SystemLocks

/// Asks an implementation for its version once per process and contract.
final class VersionProbe<Fixture>: Sendable {
  private let version: @Sendable (Fixture) async throws -> String
  private let asked = Mutex<Set<String>>([])

  /// The longest version in characters.
  private static var longest: Int { 200 }

  init(_ version: @escaping @Sendable (Fixture) async throws -> String) { self.version = version }

  /// The version, or `nil` if it is not known or was returned before.
  func version(of fixture: Fixture, for contract: String) async -> String? {
    guard asked.withLock({ $0.insert(contract).inserted }) else { return nil }
    return await version(of: fixture)
  }

  /// The version, or `nil` if it is not known.
  func version(of fixture: Fixture) async -> String? {
    guard let text = try? await version(fixture), !text.isEmpty else { return nil }
    return String(text.prefix(Self.longest))
  }
}
