import Testing
import VendorSDK

@Suite struct AnalyticsTrackerTests {
  /// `@unchecked Sendable` is safe because the subclass adds no state.
  private final class Prefixing: AnalyticsTracker, @unchecked Sendable {
    override func track(_ category: String, action: String? = nil) {
      super.track("app." + category, action: action)
    }
  }

  @Test func `the tracker can be subclassed`() {
    let tracker: AnalyticsTracker = Prefixing()
    tracker.track("song")
    tracker.track("song", action: "save")
    #expect(tracker.sent.map(\.category) == ["app.song", "app.song"])
    #expect(tracker.sent.map(\.action) == [nil, "save"])
  }
}
