import AnalyticsPort
import Testing

@Suite struct AnalyticsEventTests {
  @Test func `events are equal if their bytes are equal`() {
    #expect(AnalyticsEvent("\u{e9}") == AnalyticsEvent("\u{e9}"))
    #expect(AnalyticsEvent("\u{e9}") != AnalyticsEvent("e\u{301}"))
    #expect(AnalyticsEvent("a", action: "\u{e9}") != AnalyticsEvent("a", action: "e\u{301}"))
    #expect(AnalyticsEvent("a", action: "") != AnalyticsEvent("a"))
    #expect(Set([AnalyticsEvent("\u{e9}"), AnalyticsEvent("e\u{301}")]).count == 2)
  }

  @Test func `a description has the category and the action`() {
    #expect("\(AnalyticsEvent("song", action: "save"))" == "song/save")
    #expect("\(AnalyticsEvent("song"))" == "song")
  }
}
