public import FeedbackPort

/// The fixture of the feedback contract: two services on one vendor, and control of the vendor.
public struct FeedbackFixture: Sendable {
  /// The service under test.
  public var service: any FeedbackService

  /// A second instance of the same implementation on the same vendor.
  public var otherService: any FeedbackService

  /// Controls and observes the vendor.
  public var vendor: any FeedbackVendor

  /// How long the services wait for an answer, in the time of `passTime`.
  public var timeLimit: Duration

  /// Advances the services' time. It is called only while a load is in flight.
  public var passTime: @Sendable (Duration) async -> Void

  /// Creates a fixture. Its vendor must not answer a load unless a clause does.
  public init(
    service: any FeedbackService, otherService: any FeedbackService, vendor: any FeedbackVendor,
    timeLimit: Duration, passTime: @escaping @Sendable (Duration) async -> Void
  ) {
    self.service = service
    self.otherService = otherService
    self.vendor = vendor
    self.timeLimit = timeLimit
    self.passTime = passTime
  }
}
