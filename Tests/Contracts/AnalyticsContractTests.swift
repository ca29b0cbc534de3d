import AnalyticsContract
import AnalyticsPort
import ContractTesting
import DriftExploration
import Testing
import VendorAdapters
import VendorSDK

@Suite struct AnalyticsContractTests {
  @Test(
    arguments: Contract.analytics.cases(for: .spy, .shadow, .adapter)
      + Contract.analytics.saboteurCases)
  func holds(_ contractCase: ContractCase<AnalyticsFixture>) async throws {
    try await contractCase.verify()
  }
}

@Suite struct AnalyticsExplorationTests {
  @Test(arguments: [Implementation<AnalyticsFixture>.shadow, .adapter])
  func `the spy sees what the SDK sends`(_ sdk: Implementation<AnalyticsFixture>) async throws {
    try await exploreDrift(of: .spy, from: sdk, settings: .drift(time: .seconds(1))) {
      Operation("track", .texts, .optional(.texts)) { fixture, category, action in
        fixture.tracker.track(category, action: action)
      }
      Operation("arrivals") { fixture in try await fixture.arrivals() }
    }
  }
}

extension Implementation<AnalyticsFixture> {
  static let spy: Self = fake("spy") {
    let spy = AnalyticsSpy()
    return AnalyticsFixture(tracker: spy) { spy.events }
  }

  static let shadow: Self = live("shadow") { scope in
    let tracker = AnalyticsTracker()
    scope.witness("the SDK's events") { tracker.arrivals }
    return AnalyticsFixture(tracker: tracker) { tracker.arrivals }
  }
  .version { _ in AdaptedVersion.own("VendorSDK") }

  static let adapter: Self = live("adapter") { scope in
    let tracker = AnalyticsTracker()
    scope.witness("the SDK's events") { tracker.arrivals }
    return AnalyticsFixture(tracker: VendorAnalyticsTracker(tracker)) { tracker.arrivals }
  }
  .version { _ in AdaptedVersion.own("VendorSDK") }
}

extension AnalyticsTracker {
  fileprivate var arrivals: [AnalyticsEvent] {
    sent.map { AnalyticsEvent($0.category, action: $0.action) }
  }
}
