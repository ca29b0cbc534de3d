public import FeedbackPort

/// What a clause about feedback services works with: two services on one vendor, and the vendor.
public struct FeedbackFixture: Sendable {
  /// The service under test.
  public var service: any FeedbackService

  /// Another instance of the same implementation, on the same vendor.
  public var otherService: any FeedbackService

  /// The vendor's remote control.
  public var vendor: any FeedbackVendor

  /// How long the services wait for an answer, in the time of `passTime`.
  public var timeLimit: Duration

  /// Lets time pass for the services; called only while a load is in flight.
  public var passTime: @Sendable (Duration) async -> Void

  /// Puts a fixture together; the vendor answers nothing by itself.
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
