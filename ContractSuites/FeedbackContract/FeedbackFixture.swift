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

  /// What the vendor answers on its own.
  public var ownAnswers: OwnAnswers

  /// Creates a fixture. Its vendor must not answer a load unless a clause does, or asks it to with
  /// `ownAnswers`.
  public init(
    service: any FeedbackService, otherService: any FeedbackService, vendor: any FeedbackVendor,
    timeLimit: Duration, ownAnswers: OwnAnswers,
    passTime: @escaping @Sendable (Duration) async -> Void
  ) {
    self.service = service
    self.otherService = otherService
    self.vendor = vendor
    self.timeLimit = timeLimit
    self.ownAnswers = ownAnswers
    self.passTime = passTime
  }
}

/// What a vendor answers on its own.
///
/// Most clauses answer in place of the vendor, and do not see what the vendor itself does.
public struct OwnAnswers: Sendable {
  /// A form that the vendor has.
  public var form: FeedbackForm

  /// An id for which the vendor has no form.
  public var unknownID: String

  /// Whether an error is the one with which the vendor answers a load of `unknownID`.
  public var isOfUnknownID: @Sendable (any Error) -> Bool

  /// Makes the vendor answer all later loads.
  public var begin: @Sendable () -> Void

  /// Creates a description of a vendor's answers.
  public init(
    form: FeedbackForm, unknownID: String, isOfUnknownID: @escaping @Sendable (any Error) -> Bool,
    begin: @escaping @Sendable () -> Void
  ) {
    self.form = form
    self.unknownID = unknownID
    self.isOfUnknownID = isOfUnknownID
    self.begin = begin
  }
}
