public import FeedbackPort
public import VendorSDK

extension FeedbackClient {
  /// The vendor's SDK as a value; see ``ThirdPartyFeedbackService`` for the parameters.
  public static func thirdParty(
    timeLimit: Duration = .seconds(30), clock: any Clock<Duration> = ContinuousClock(),
    loadFeedback: @escaping @Sendable (String) -> Void = { ThirdParty.loadFeedbackForm($0) },
    getDelegate: @escaping @Sendable () -> (any ThirdPartyDelegate)? = { ThirdParty.delegate },
    setDelegate: @escaping @Sendable ((any ThirdPartyDelegate)?) -> Void = {
      ThirdParty.delegate = $0
    }
  ) -> FeedbackClient {
    let service = ThirdPartyFeedbackService(
      timeLimit: timeLimit, clock: clock, loadFeedback: loadFeedback, getDelegate: getDelegate,
      setDelegate: setDelegate)
    return FeedbackClient { try await service.loadForm($0) }
  }
}
