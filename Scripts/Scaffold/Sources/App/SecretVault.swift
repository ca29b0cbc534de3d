import Foundation

/// What every store of named data can do.
protocol NamedStore: Sendable {
  /// The data under a name, or `nil`.
  func data(named name: String) throws -> Data?
  var names: Set<String> { get throws }
}

/// Secrets under names, as a key chain has them.
protocol SecretVault: NamedStore, CustomStringConvertible {
  /// The most bytes that a secret may have.
  static var maximumSize: Int { get }
  static func isValid(name: String) -> Bool

  /// Opens the vault of a service.
  init(service: String, group: String?) throws(VaultError)

  func set(_ data: Data, named name: String, protection: Protection) throws(VaultError)
  func remove(named name: String) throws(VaultError)
  subscript(name: String) -> Data? { get }
  var label: String { get nonmutating set }
}

enum Protection: String { case always, whenUnlocked }
enum VaultError: Error { case locked, system(code: Int32) }
