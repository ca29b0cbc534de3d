import Testing

@testable import ContractLiveCalls
@testable import ContractTesting

/// `.limited(to:per:)` limits how many live calls begin in any span of time.
@Suite struct RateLimitTests {
  @Test func `calls begin until the limit, and then a period after the first of them`() {
    let limit = RateLimit(2, per: .seconds(10))
    #expect(limit.begin(1, at: .seconds(0)) == nil)
    #expect(limit.begin(1, at: .seconds(4)) == nil)
    #expect(limit.begin(1, at: .seconds(9)) == .seconds(1))
    #expect(limit.begin(1, at: .seconds(10)) == nil)
    #expect(limit.begin(1, at: .seconds(10)) == .seconds(4))
    #expect(limit.begin(1, at: .seconds(14)) == nil)
  }

  @Test func `a case of several calls needs room for all of them`() {
    let limit = RateLimit(3, per: .seconds(10))
    #expect(limit.begin(2, at: .seconds(0)) == nil)
    #expect(limit.begin(2, at: .seconds(1)) == .seconds(9))
    #expect(limit.begin(1, at: .seconds(1)) == nil)
    #expect(limit.begin(3, at: .seconds(10)) == .seconds(1))
    #expect(limit.begin(3, at: .seconds(11)) == nil)
    #expect(limit.begin(4, at: .seconds(21)) == nil, "more than ever fit count as what fits")
  }

  /// The calls of random cases, asked for at random times, never exceed the limit in any span.
  @Test(arguments: 1...20) func `no span has more calls than the limit`(seed: Int) {
    var state = UInt64(seed)
    func random(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1
      return Int(state >> 33) % bound
    }
    let count = 1 + random(5)
    let limit = RateLimit(count, per: .milliseconds(100))
    var begun: [Int] = []
    var now = 0
    for _ in 1...300 {
      now += random(40)
      let calls = 1 + random(count)
      if limit.begin(calls, at: .milliseconds(now)) == nil {
        begun += Array(repeating: now, count: calls)
      }
    }
    for time in begun {
      #expect(begun.count { time..<time + 100 ~= $0 } <= count)
    }
    #expect(begun.count > count)
  }

  @Test func `the copies of an implementation share a limit, and its cases all run`() async throws {
    try await withLiveShop { shop in
      let one = shop.live("one").limited(to: 1, per: .milliseconds(50))
      let clock = ContinuousClock()
      let start = clock.now
      let run = try await shop.run(on: [one], [:])
      #expect(run.calls == ["first@one", "second@one"])
      #expect(start.duration(to: clock.now) >= .milliseconds(50))
      #expect(one.terms.rateLimit === one.timeLimit(.seconds(5)).terms.rateLimit)
    }
  }
}
