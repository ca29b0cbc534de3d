public import Foundation

/// An entry point for clients that can't see a Swift enum with values, as Objective-C's can't.
///
/// Made by ``cart()`` and ``product(id:)``; two are equal when their entry points are.
#if canImport(ObjectiveC)
  @objcMembers
#endif
public final class CheckoutEntry: NSObject, Sendable {
  /// The entry point, for Swift.
  public let entryPoint: CheckoutEntryPoint

  /// Wraps an entry point.
  public init(_ entryPoint: CheckoutEntryPoint) { self.entryPoint = entryPoint }

  /// The whole cart.
  public static func cart() -> CheckoutEntry { CheckoutEntry(.cart) }

  /// One product.
  public static func product(id: String) -> CheckoutEntry { CheckoutEntry(.product(id: id)) }

  public override func isEqual(_ object: Any?) -> Bool {
    (object as? CheckoutEntry)?.entryPoint == entryPoint
  }

  public override var hash: Int { entryPoint.hashValue }
}
