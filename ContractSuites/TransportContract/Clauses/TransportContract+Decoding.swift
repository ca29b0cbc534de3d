import ContractTesting
import Foundation
import Testing
import TransportDecoding
import TransportPort

/// Content in each of the content codings.
private enum Coded {
  static let text =
    "The quick brown fox jumps over the lazy dog. The quick brown fox jumps over the lazy dog."
  static let gzip = bytes(
    "H4sIAAAAAAACAwvJSFUoLM1MzlZIKsovz1NIy69QyCrNLShWyC9LLVIoAUrnJFZVKqTkp+sphJCgGACnCumaWQAAAA==")
  static let zlib = bytes(
    "eNoLyUhVKCzNTM5WSCrKL89TSMuvUMgqzS0oVsgvSy1SKAFK5yRWVSqk5KfrKYSQoBgArtEgLw==")
  static let deflate = bytes(
    "C8lIVSgszUzOVkgqyi/PU0jLr1DIKs0tKFbIL0stUigBSuckVlUqpOSn6ymEkKAYAA==")
  static let brotli: [UInt8] = [
    0x1B, 0x58, 0x00, 0x00, 0x44, 0xDB, 0x46, 0xA9, 0x2E, 0x24, 0x5B, 0x32, 0x14, 0xC5, 0x53, 0x91,
    0x67, 0x72, 0xF2, 0xE7, 0x28, 0x46, 0x41, 0x95, 0x57, 0xB6, 0xB2, 0x59, 0xD0, 0x7C, 0xE1, 0x95,
    0xA7, 0x23, 0xF2, 0xA2, 0xAC, 0x36, 0x26, 0xB8, 0x45, 0x1F, 0x18, 0xC3, 0xAA, 0xFB, 0x0F, 0x81,
    0xC9, 0x00, 0x00,
  ]
  /// 200,000 zeros.
  static let brotliZeros: [UInt8] = [
    0x5B, 0x3F, 0x0D, 0x83, 0x7F, 0x02, 0x20, 0x1E, 0x0B, 0x04, 0xF2, 0x09, 0x06, 0x00,
  ]
  /// Eight times 32,768 bytes and three that are copied from 32,768 bytes before, so that some copies reach behind any
  /// buffer of less than 256 KiB.
  static let distantText = (0..<8 * 32_771).map { UInt8(truncatingIfNeeded: $0) }
  static let distantGzip: [UInt8] = {
    var bytes: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0]
    for unit in 0..<8 {
      bytes += [0, 0x80, 0xFF, 0x7F] + distantText[(unit * 32_771)...].prefix(32_768)
      bytes += [unit < 7 ? 2 : 3, 0xDE, 0xFF, 0x0F, 0]
    }
    return bytes + [0xE6, 0x44, 0xDC, 0xEF] + [0x18, 0, 4, 0]
  }()
  /// The start of deflated content: a block of a zero and 255 copies of 258 zeros, without its end.
  static let unfinished: [UInt8] =
    [0x62] + Array(repeatElement(copies, count: 31).joined()) + copies.prefix(11) + [0x01]
  /// Eight codes of 13 bits, each for a copy of the last 258 bytes.
  private static let copies: [UInt8] = [
    0x18, 0x05, 0xA3, 0x60, 0x14, 0x8C, 0x82, 0x51, 0x30, 0x0A, 0x46, 0xC1, 0x28,
  ]
  /// 8 MiB of zeros, compressed with gzip twice.
  static let bomb = bytes(
    "H4sIAAAAAAACA+3XsQ2CQACF4TsuJhdGsCEm7sAEzsEqJJQ2DuAOLGDDCrSsQBhBPMbAfF/11697zTOHQ5XWKcYS/es7"
      + "brkOAAAAwJ/rlyFVR9z2rr3bAwAAAE7gfXl85mu59eEH2xnUp+8fAAA=")

  private static func bytes(_ base64: String) -> [UInt8] {
    [UInt8](Data(base64Encoded: base64) ?? Data())
  }
}

extension TransportFixture {
  /// Opens a world whose peer sends encoded content, with the decoding policy.
  fileprivate func decoding(
    _ coding: String, _ content: [UInt8], _ policy: DecodingPolicy = DecodingPolicy()
  ) async throws -> TransportWorld {
    try await world(.respond(headerFields: [.contentEncoding: coding], body: content))
      .through { $0.decodingContent(policy) }
  }
}

extension OriginScript {
  /// Sends encoded content in two pieces, the first with a number of bytes.
  fileprivate static func inTwo(
    _ coding: String, _ content: [UInt8], at count: Int, apart pause: Duration = .zero
  ) -> Self {
    let head = "HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\n"
    return .raw(head + "Content-Length: \(content.count)\r\n\r\n") + [
      .send(Array(content.prefix(count))), .pause(pause), .send(Array(content.dropFirst(count))),
    ]
  }
}

extension TransportClauses {
  @ClauseBuilder<TransportFixture>
  static var decoding: [Clause<TransportFixture>] {
    Clause(
      "codings", "gzip, deflate and br are requested, and these and identity are decoded",
      from: "RFC 9110 §8.4.1"
    ) { fixture in
      let plain = Array(Coded.text.utf8)
      for (coding, content) in [
        ("gzip", Coded.gzip), ("x-gzip", Coded.gzip), ("GZIP", Coded.gzip),
        ("deflate", Coded.zlib), ("br", Coded.brotli), ("identity", plain),
      ] {
        let world = try await fixture.decoding(coding, content)
        let answer = try await world.answer()
        checkEqual(answer.text, Coded.text, "the content in \(coding)")
        checkEqual(
          world.log.requests.first?.fields[.acceptEncoding], "gzip, deflate, br",
          "Accept-Encoding")
        let isReceived = coding == "identity"
        checkEqual(
          answer.fields.contains(.contentEncoding), isReceived,
          "whether the head of \(coding) has Content-Encoding")
        checkEqual(
          answer.fields.contains(.contentLength), isReceived,
          "whether the head of \(coding) has Content-Length")
      }
      let distant = try await fixture.decoding("gzip", Coded.distantGzip).answer()
      check(distant.content == Coded.distantText, "a copy of bytes 32,768 bytes before is wrong")
      let zeros = try await fixture.decoding("br", Coded.brotliZeros).answer()
      checkEqual(zeros.content.count, 200_000, "the number of decoded zeros")
    }
    Clause(
      "coding-list", "up to four codings of one content are decoded, last one first",
      from: "RFC 9110 §8.4"
    ) { fixture in
      // Each coding is a block of the next: stored content in deflate.
      var content = Array(Coded.text.utf8)
      for count in 1...5 {
        var block = DeflatedContent()
        block.appendStored(content)
        content = block.ended
        let codings = [String](repeating: "deflate", count: count).joined(separator: ", ")
        let world = try await fixture.decoding(codings, content)
        if count > 4 {
          await world.expectFailure(.unknownEncoding(codings))
        } else {
          checkEqual(try await world.answer().text, Coded.text, "the content in \(codings)")
        }
      }
      // Two different codings, of which only one order gives the content.
      var block = DeflatedContent()
      block.appendStored(Coded.gzip)
      let world = try await fixture.decoding("gzip, deflate", block.ended)
      checkEqual(try await world.answer().text, Coded.text, "the content in gzip, deflate")
    }
    Clause(
      "split-coding", "content is decoded in whatever pieces it arrives", from: "RFC 9112 §6"
    ) { fixture in
      for (coding, content) in [
        ("gzip", Coded.gzip), ("deflate", Coded.zlib), ("br", Coded.brotli),
      ] {
        let script = OriginScript.respond(headerFields: [.contentEncoding: coding], body: content)
        let world = try await fixture.world(script.split(into: 1))
        let answer = try await world.through { $0.decodingContent() }.answer()
        checkEqual(answer.text, Coded.text, "the content in \(coding)")
        let inTwo = try await fixture.world(.inTwo(coding, content, at: 1))
        let other = try await inTwo.through { $0.decodingContent() }.answer()
        checkEqual(other.text, Coded.text, "the content in \(coding) after its first byte")
      }
    }
    Clause(
      "split-deflate",
      "deflated content without a zlib header is decoded in whatever pieces it arrives",
      from: "RFC 9110 §8.4.1.2"
    ) { fixture in
      // A busy client may receive both pieces at once.
      for _ in 1...3 {
        let script = OriginScript.inTwo("deflate", Coded.deflate, at: 1, apart: .milliseconds(20))
        let world = try await fixture.world(script).through { $0.decodingContent() }
        checkEqual(try await world.answer().text, Coded.text, "the content after its first byte")
      }
      let script = OriginScript.respond(
        headerFields: [.contentEncoding: "deflate"], body: Coded.deflate)
      let world = try await fixture.world(script.split(into: 1)).through { $0.decodingContent() }
      checkEqual(try await world.answer().text, Coded.text, "the content in single bytes")
    }
    Clause(
      "decoded-early", "what has arrived is decoded without waiting for more", from: "this project",
      requires: .connections
    ) { fixture in
      let world = try await fixture.world([
        .send("HTTP/1.1 200 OK\r\nContent-Encoding: deflate\r\n\r\n"), .send(Coded.unfinished),
        .stall,
      ]).through { $0.enforcing(Deadlines(idle: .seconds(4))).decodingContent() }
      let exchange = try await world.send()
      var count = 0
      for try await chunk in exchange.body {
        count += chunk.count
        if count >= 65_791 { break }
      }
      checkEqual(count, 65_791, "the number of decoded bytes")
      exchange.body.cancel()
      try await world.expect("the connection is closed") { $0.closedByClient == 1 }
    }
    Clause(
      "coding-without-content",
      "an empty body is decoded to nothing, and a response without content is left unchanged",
      from: "RFC 9110 §6.4.1 and §8.4"
    ) { fixture in
      for coding in ["gzip", "deflate", "br"] {
        checkEqual(
          try await fixture.decoding(coding, []).answer().content, [], "the content in \(coding)")
      }
      for (method, status, length) in [
        (HTTPRequest.Method.head, 200, "9"), (.get, 204, nil), (.get, 304, "9"),
      ] {
        var fields: HTTPFields = [.contentEncoding: "gzip"]
        fields[.contentLength] = length
        let world = try await fixture.world(.respond(status, headerFields: fields))
          .through { $0.decodingContent() }
        let answer = try await world.answer(method)
        checkEqual(answer.content, [], "the content of \(status) to \(method)")
        checkEqual(answer.fields[.contentEncoding], "gzip", "Content-Encoding")
        checkEqual(answer.fields[.contentLength], length, "Content-Length")
      }
      for status in [203, 205, 303, 305] {
        let world = try await fixture.world(
          .respond(status, headerFields: [.contentEncoding: "gzip"], body: Coded.gzip)
        ).through { $0.decodingContent() }
        checkEqual(try await world.answer().text, Coded.text, "the content of \(status)")
      }
    }
    Clause(
      "decoded-trailers", "the trailer fields of encoded content are available after it",
      from: "RFC 9112 §7.1.2"
    ) { fixture in
      let size = String(Coded.gzip.count, radix: 16)
      let world = try await fixture.world([
        .send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n"),
        .send(Array("\(size)\r\n".utf8) + Coded.gzip), .send("\r\n0\r\nX-Sum: 1\r\n\r\n"),
      ]).through { $0.decodingContent() }
      let answer = try await world.answer()
      checkEqual(answer.text, Coded.text, "the content")
      checkEqual(answer.exchange.body.trailerFields, ["X-Sum": "1"], "the trailer section")
    }
    Clause(
      "coding-failure", "corrupt content ends the connection, even if the response is kept",
      from: "this project", requires: .connections
    ) { fixture in
      let world = try await fixture.world([
        .send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\nnot gzip"), .stall,
      ]).through { $0.decodingContent() }
      let exchange = try await world.send()
      await #expect(throws: TransportError.self) { try await exchange.body.collect(upTo: 9) }
      try await world.expect("the connection is closed") { $0.closedByClient == 1 }
      withExtendedLifetime(exchange) {}
    }
    Clause(
      "raw-deflate", "deflate without the zlib wrapper is decoded too", from: "RFC 9110 §8.4.1.2"
    ) { fixture in
      let answer = try await fixture.decoding("deflate", Coded.deflate).answer()
      checkEqual(answer.text, Coded.text, "the content")
      // The padding of a first block that is stored, and the low byte of its size, can almost be a
      // zlib header (RFC 1950 §2.2): with another checksum, a larger window or another method.
      for (padding, count) in [(0x78, 2), (0x88, 28), (0x79, 24), (0x70, 3)] {
        var block = DeflatedContent()
        let text = String(Coded.text.prefix(count))
        block.appendStored(Array(text.utf8), padding: UInt8(padding))
        let content = padding & 1 == 1 ? block.bytes : block.ended
        let lookalike = try await fixture.decoding("deflate", content).answer()
        checkEqual(lookalike.text, text, "the content of a block with padding \(padding)")
      }
    }
    Clause(
      "unknown-coding", "an unknown coding is an error, or passed through if the policy allows it",
      from: "RFC 9110 §8.4"
    ) { fixture in
      let content = Array("???".utf8)
      for coding in ["zstd", "compress", "gzip, rot13", "@["] {
        let strict = try await fixture.decoding(coding, content)
        let error = await strict.expectFailure(.unknownEncoding(coding))
        checkEqual(error?.bytesSent, true, "whether bytes were sent")
        let lenient = try await fixture.decoding(
          coding, content, DecodingPolicy(unknownEncoding: .passThrough))
        let answer = try await lenient.answer()
        checkEqual(answer.content, content, "the content in \(coding)")
        checkEqual(answer.fields[.contentEncoding], coding, "Content-Encoding")
      }
    }
    Clause("corrupt-coding", "corrupt encoded content is an error", from: "RFC 1952 §2.3.1") {
      fixture in
      var checksum = Coded.gzip
      checksum[checksum.count - 6] ^= 0xFF
      for content in [Array("not gzip at all".utf8), checksum] {
        let error = await (try fixture.decoding("gzip", content)).expectFailure(.corruptEncoding)
        checkEqual(error?.phase, .decoding, "the phase")
        checkEqual(error?.bytesSent, true, "whether bytes were sent")
      }
      await (try fixture.decoding("br", Array("not brotli".utf8))).expectFailure(
        .corruptEncoding, .truncatedEncoding)
    }
    Clause(
      "encoded-surplus", "bytes after encoded content, or in another coding, are an error",
      from: "RFC 1951 §3.2.3, RFC 7932 §9.2"
    ) { fixture in
      for (coding, content) in [
        ("gzip", Coded.zlib), ("gzip", Coded.gzip + [0, 0]), ("deflate", Coded.zlib + [0]),
        ("deflate", Coded.deflate + [0]), ("br", Coded.brotli + [0]),
      ] {
        await (try fixture.decoding(coding, content)).expectFailure(.corruptEncoding)
      }
    }
    Clause("truncated-coding", "truncated encoded content is an error", from: "RFC 1952 §2.2") {
      fixture in
      for (coding, content) in [
        ("gzip", Coded.gzip), ("deflate", Coded.zlib), ("deflate", Coded.deflate),
        ("br", Coded.brotli),
      ] {
        for cut in [1, content.count / 2] {
          let world = try await fixture.decoding(coding, Array(content.dropLast(cut)))
          await world.expectFailure(.truncatedEncoding)
        }
      }
      // A decoder has more output than it returns at once, so it finds out without further input.
      var zeros = DeflatedContent()
      zeros.appendZeros(blocks: 2)
      for (coding, content) in [
        ("deflate", zeros.bytes), ("br", Array(Coded.brotliZeros.dropLast())),
      ] {
        await (try fixture.decoding(coding, content)).expectFailure(.truncatedEncoding)
      }
    }
    Clause(
      "gzip-members", "the members of a gzip file are decoded and joined", from: "RFC 1952 §2.2"
    ) { fixture in
      let answer = try await fixture.decoding("gzip", Coded.gzip + Coded.gzip).answer()
      checkEqual(answer.text, Coded.text + Coded.text, "the content")
    }
    Clause(
      "encoded-nothing", "content that decodes to almost nothing, without end, is an error",
      from: "this project", requires: .connections
    ) { fixture in
      let starts: [(start: [UInt8], rest: [UInt8])] = [
        // An endless series of empty gzip members.
        ([], [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
        // An endless file name.
        ([0x1F, 0x8B, 8, 8, 0, 0, 0, 0, 0, 3], [0x61]),
      ]
      for (start, rest) in starts {
        let block = Array(repeatElement(rest, count: 4096).joined())
        let script: OriginScript = [
          .send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"), .send(start),
          .sendRepeatedly(block, count: nil),
        ]
        let world = try await fixture.world(script).through { $0.decodingContent() }
        await world.expectFailure(.decompressionBomb)
      }
    }
    Clause(
      "bomb", "content that exceeds the limit of size or compression ratio is an error",
      from: "this project"
    ) { fixture in
      let codings = "gzip, gzip"
      await (try fixture.decoding(codings, Coded.bomb)).expectFailure(.decompressionBomb)
      let small = DecodingPolicy(maximumBytes: 1 << 20, maximumRatio: nil)
      await (try fixture.decoding(codings, Coded.bomb, small)).expectFailure(.decompressionBomb)
      let none = DecodingPolicy(maximumBytes: nil, maximumRatio: nil)
      let whole = try await fixture.decoding(codings, Coded.bomb, none).answer()
      checkEqual(whole.content.count, 8 << 20, "the number of bytes without limits")
    }
    Clause(
      "raw-content", "without the policy, content is passed through unchanged", from: "this project"
    ) { fixture in
      let script = OriginScript.respond(headerFields: [.contentEncoding: "gzip"], body: Coded.gzip)
      let world = try await fixture.world(script)
      let bare = try await world.answer()
      check(
        bare.content == Coded.gzip,
        "the content without the policy differs from the encoded content")
      checkEqual(bare.fields[.contentEncoding], "gzip", "Content-Encoding")
      checkEqual(
        world.log.requests.first?.fields.contains(.acceptEncoding), false,
        "whether Accept-Encoding was sent")
      let own = try await world.through { $0.decodingContent() }
        .answer(.get, "/", [.acceptEncoding: "gzip"])
      check(
        own.content == Coded.gzip,
        "the content with the caller's Accept-Encoding differs from the encoded content")
      let part = try await world.through { $0.decodingContent() }
        .answer(.get, "/", ["Range": "bytes=0-9"])
      check(
        part.content == Coded.gzip,
        "the content with the caller's Range differs from the encoded content")
    }
  }
}
