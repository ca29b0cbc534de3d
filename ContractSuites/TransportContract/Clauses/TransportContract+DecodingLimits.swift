import ContractTesting
import Testing
import TransportDecoding
import TransportPort

/// Returns zeros.
private func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

extension TransportFixture {
  /// Checks that a policy allows content, or rejects it as a decompression bomb.
  fileprivate func expect(
    _ content: DeflatedContent, isAllowed: Bool, by policy: DecodingPolicy = DecodingPolicy(),
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let world = try await world(
      .respond(headerFields: [.contentEncoding: "deflate"], body: content.ended)
    ).through { $0.decodingContent(policy) }
    guard isAllowed else {
      await world.expectFailure(.decompressionBomb, sourceLocation: sourceLocation)
      return
    }
    let answer = try await world.answer()
    checkEqual(
      answer.content.count, content.decodedCount, "the number of decoded bytes",
      sourceLocation: sourceLocation)
  }
}

extension TransportClauses {
  @ClauseBuilder<TransportFixture>
  static var decodingLimits: [Clause<TransportFixture>] {
    Clause(
      "decoded-size", "content decodes to at most the limit of size, and of ratio above 1 MiB",
      from: "this project"
    ) { fixture in
      checkEqual(
        DecodingPolicy(),
        DecodingPolicy(
          unknownEncoding: .fail, maximumBytes: 1 << 30, maximumRatio: 200, maximumOverhead: 64),
        "the default limits")
      var content = DeflatedContent()
      content.appendZeros(blocks: 16)
      for (most, isAllowed) in [(1 << 20, true), (1 << 20 - 1, false)] {
        let policy = DecodingPolicy(maximumBytes: most, maximumRatio: nil)
        try await fixture.expect(content, isAllowed: isAllowed, by: policy)
      }
      try await fixture.expect(content, isAllowed: true, by: DecodingPolicy(maximumRatio: 1))
      content.appendStored([0])
      try await fixture.expect(content, isAllowed: false, by: DecodingPolicy(maximumRatio: 1))
      // About two decoded bytes for each encoded one.
      var doubled = DeflatedContent()
      doubled.appendStored(zeros(9 * 65_535))
      doubled.appendZeros(blocks: 9)
      for (ratio, isAllowed) in [(-1, false), (0, false), (1, false), (2, true)] {
        let policy = DecodingPolicy(maximumRatio: ratio)
        try await fixture.expect(doubled, isAllowed: isAllowed, by: policy)
      }
    }
    Clause(
      "decoded-ratio", "content decodes to at most 200 times its size by default",
      from: "this project"
    ) { fixture in
      func content(padding: Int) -> DeflatedContent {
        var content = DeflatedContent()
        content.appendStored(zeros(padding))
        content.appendZeros(blocks: 17)
        return content
      }
      let least = try #require(
        (4000..<5000).first {
          let content = content(padding: $0)
          return content.decodedCount / 200 <= content.ended.count
        })
      try await fixture.expect(content(padding: least), isAllowed: true)
      try await fixture.expect(content(padding: least - 1), isAllowed: false)
      // Neither of two codings exceeds the ratio, but both together do. The outer one replaces 65,536
      // zeros of the inner one: those of a stored block, and the first byte of an empty block.
      var inner = DeflatedContent()
      inner.appendStored(zeros(65_535))
      inner.appendNothing(blocks: 1)
      inner.appendZeros(blocks: 17)
      var outer = DeflatedContent()
      outer.appendStored(Array(inner.ended.prefix(5)))
      outer.appendZeros(blocks: 1)
      outer.appendStored(Array(inner.ended.dropFirst(5 + 65_536)))
      let world = try await fixture.world(
        .respond(headerFields: [.contentEncoding: "deflate, deflate"], body: outer.ended))
      let allowing = world.through { $0.decodingContent(DecodingPolicy(maximumRatio: 2000)) }
      checkEqual(
        try await allowing.answer().content.count, inner.decodedCount,
        "the number of bytes decoded twice")
      await world.through { $0.decodingContent() }.expectFailure(.decompressionBomb)
    }
    Clause(
      "decoded-overhead",
      "above 1 MiB, content has at most 64 bytes for each decoded one by default",
      from: "this project"
    ) { fixture in
      // 1 MiB less the last block, which has 5 bytes.
      var content = DeflatedContent()
      content.appendStored([0])
      content.appendNothing(blocks: 209_713)
      try await fixture.expect(content, isAllowed: true, by: DecodingPolicy(maximumOverhead: 1))
      // 1 MiB and a byte.
      var larger = DeflatedContent()
      larger.appendStored([0, 0])
      larger.appendNothing(blocks: 209_713)
      try await fixture.expect(larger, isAllowed: false)
      // A header of 5 bytes for 65,535.
      var stored = DeflatedContent()
      stored.appendStored(zeros(17 * 65_535))
      for (overhead, isAllowed) in [(-1, false), (0, false), (1, false), (2, true)] {
        let policy = DecodingPolicy(maximumOverhead: overhead)
        try await fixture.expect(stored, isAllowed: isAllowed, by: policy)
      }
      // 5 + n + 5 × 300,000 + 5 bytes that decode to n.
      let least = try #require((1...65_535).first { (1_500_010 + $0) / 64 <= $0 })
      for (count, isAllowed) in [(least, true), (least - 1, false)] {
        var content = DeflatedContent()
        content.appendStored(zeros(count))
        content.appendNothing(blocks: 300_000)
        try await fixture.expect(content, isAllowed: isAllowed)
      }
    }
  }
}
