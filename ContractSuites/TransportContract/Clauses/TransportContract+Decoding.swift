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

extension ClauseGroup<TransportFixture> {
  static let decoding = ClauseGroup("Decoding") {
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
        if coding == "gzip" {
          checkEqual(
            answer.fields.contains(.contentEncoding), false, "whether the head has Content-Encoding"
          )
          checkEqual(
            answer.fields.contains(.contentLength), false, "whether the head has Content-Length")
        }
      }
    }
    Clause(
      "raw-deflate", "deflate without the zlib wrapper is decoded too", from: "RFC 9110 §8.4.1.2"
    ) { fixture in
      let answer = try await fixture.decoding("deflate", Coded.deflate).answer()
      checkEqual(answer.text, Coded.text, "the content")
    }
    Clause(
      "unknown-coding", "an unknown coding is an error, or passed through if the policy allows it",
      from: "RFC 9110 §8.4"
    ) { fixture in
      let content = Array("???".utf8)
      for coding in ["zstd", "compress", "gzip, rot13"] {
        let strict = try await fixture.decoding(coding, content)
        await strict.expectFailure(.unknownEncoding(coding))
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
      }
      await (try fixture.decoding("br", Array("not brotli".utf8))).expectFailure(
        .corruptEncoding, .truncatedEncoding)
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
        // An empty gzip member again and again.
        ([], [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
        // A file name without end.
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
    }
  }
}
