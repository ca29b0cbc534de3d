public import FeedbackPort
public import VendorSDK

extension FeedbackClient {
  /// A client of the vendor's SDK.
  ///
  /// The parameters are those of
  /// ``ThirdPartyFeedbackService/init(timeLimit:clock:loadFeedback:getDelegate:setDelegate:)``.
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
