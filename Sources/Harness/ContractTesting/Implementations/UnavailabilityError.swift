/// An error that can say nothing about an implementation's behaviour, because something that the fixture
/// needs is missing on this machine.
///
/// A case whose fixture or clause throws it is *unavailable* instead of failed, as with
/// ``Implementation/unavailable(where:)``.
public protocol UnavailabilityError: Error {
  /// What is missing and how to get it, or `nil` if this error is a failure after all.
  var unavailabilityReason: String? { get }
}
