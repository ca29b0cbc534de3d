public import Foundation

/// A ``CheckoutEntryPoint`` for Objective-C, which cannot see enums with associated values.
///
/// Create one with ``cart()`` or ``product(id:)``. Two entries are equal if their entry points are
/// equal.
#if canImport(ObjectiveC)
  @objcMembers
#endif
public final class CheckoutEntry: NSObject, Sendable {
  /// The entry point, for Swift callers.
  public let entryPoint: CheckoutEntryPoint

  /// Wraps an entry point.
  public init(_ entryPoint: CheckoutEntryPoint) { self.entryPoint = entryPoint }

  /// The entry for the whole cart.
  public static func cart() -> CheckoutEntry { CheckoutEntry(.cart) }

  /// The entry for one product.
  public static func product(id: String) -> CheckoutEntry { CheckoutEntry(.product(id: id)) }

  public override func isEqual(_ object: Any?) -> Bool {
    (object as? CheckoutEntry)?.entryPoint == entryPoint
  }

  public override var hash: Int { entryPoint.hashValue }
}
