import Testing
import VendorSDK

@Suite struct AnalyticsTrackerTests {
  /// Sound as `@unchecked Sendable`: it adds no state to a class that is.
  private final class Prefixing: AnalyticsTracker, @unchecked Sendable {
    override func track(_ category: String, action: String? = nil) {
      super.track("app." + category, action: action)
    }
  }

  @Test func `an app may subclass the tracker`() {
    let tracker: AnalyticsTracker = Prefixing()
    tracker.track("song")
    tracker.track("song", action: "save")
    #expect(tracker.sent.map(\.category) == ["app.song", "app.song"])
    #expect(tracker.sent.map(\.action) == [nil, "save"])
  }
}
