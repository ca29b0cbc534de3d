import ContractTesting
import Foundation
import Testing
import TransportPort

/// Creates the content of a file: blocks of 512 bytes that begin with their number.
private func content(_ count: Int) -> [UInt8] {
  let block = (0..<512).map { UInt8(truncatingIfNeeded: $0 &* 31) }
  var content: [UInt8] = []
  content.reserveCapacity(count + block.count)
  for number in 0...(count / block.count) {
    let start = content.count
    content += block
    for index in 0..<4 { content[start + index] = UInt8(truncatingIfNeeded: number >> (8 * index)) }
  }
  return Array(content.prefix(count))
}

/// Whether two contents have the same bytes.
///
/// The clauses compare gigabytes. `==` of arrays takes 12 ms per megabyte in a debug build, and that
/// of `Data` less than one.
private func isEqual(_ first: [UInt8], _ second: [UInt8]) -> Bool {
  first.withUnsafeBytes { first in
    second.withUnsafeBytes { second in first.unowned == second.unowned }
  }
}

extension UnsafeRawBufferPointer {
  /// The bytes without a copy; valid as long as the pointer is.
  fileprivate var unowned: Data {
    guard let baseAddress else { return Data() }
    let address = UnsafeMutableRawPointer(mutating: baseAddress)
    return Data(bytesNoCopy: address, count: count, deallocator: .none)
  }
}

extension TransportWorld {
  /// Whether a GET request returns exactly this content.
  fileprivate func returns(_ content: [UInt8], for path: String) async throws -> Bool {
    let answer = try await answer(.get, path)
    return answer.status == 200 && isEqual(answer.content, content)
  }
}

extension TransportClauses {
  @ClauseBuilder<TransportFixture>
  static var files: [Clause<TransportFixture>] {
    Clause("file", "files of every size arrive unchanged", from: "RFC 9110 §9.3.1") { fixture in
      let sizes = [0, 1, 16_384, 65_536, 1_000_000]
      let files = Dictionary(uniqueKeysWithValues: sizes.map { ("f\($0)", content($0)) })
      let world = try await fixture.fileWorld(files)
      for size in sizes {
        let answer = try await world.answer(.get, "/f\(size)")
        checkEqual(answer.status, 200, "the status of a file of \(size) bytes")
        check(isEqual(answer.content, content(size)), "a file of \(size) bytes has changed")
      }
    }
    Clause(
      "head", "HEAD returns the length of the file, and no content", from: "RFC 9110 §9.3.2"
    ) { fixture in
      let world = try await fixture.fileWorld(["f": content(5000)])
      for _ in 1...3 {
        let answer = try await world.answer(.head, "/f")
        checkEqual(answer.status, 200, "the status")
        checkEqual(answer.fields[.contentLength], "5000", "Content-Length")
        checkEqual(answer.content.count, 0, "the number of bytes of content")
        check(try await world.returns(content(5000), for: "/f"), "the file after HEAD has changed")
      }
    }
    Clause(
      "missing", "404 is a response, after which the next request works",
      from: "RFC 9110 §15.5.5"
    ) { fixture in
      let world = try await fixture.fileWorld(["f": content(100)])
      for _ in 1...3 {
        checkEqual(try await world.answer(.get, "/none").status, 404, "the status")
        check(try await world.returns(content(100), for: "/f"), "the file after 404 has changed")
      }
    }
    Clause(
      "own-file", "each of 200 concurrent requests gets its own file", from: "RFC 9110 §9.3.1"
    ) { fixture in
      let names = (0..<50).map { "f\($0)" }
      let files = Dictionary(
        uniqueKeysWithValues: names.enumerated().map { ($1, content(500 + $0)) })
      let world = try await fixture.fileWorld(files)
      let answers = (0..<200).map { index in
        Task { try await world.returns(files[names[index % 50]] ?? [], for: "/f\(index % 50)") }
      }
      for answer in answers {
        check(try await answer.value, "a request got another file than its own")
      }
    }
    Clause(
      "sequence", "100 requests in a row succeed, whenever the server ends a connection",
      from: "RFC 9112 §9.3 and §9.5"
    ) { fixture in
      let world = try await fixture.fileWorld(["f": content(2000)])
      for index in 1...100 {
        check(
          try await world.returns(content(2000), for: "/f"), "response \(index) has changed")
      }
    }
    Clause(
      "burst", "100 concurrent downloads of 1 MB complete within 20 s, three times",
      from: "RFC 9113 §5.2, this project", timeLimit: .seconds(60)
    ) { fixture in
      let file = content(1_000_000)
      // A server may end its connections meanwhile, but no download may wait for long.
      let world = try await fixture.fileWorld(["f": file]).through { $0.retryingWhenSafe() }
      for _ in 1...3 {
        let start = ContinuousClock.now
        let answers = (0..<100).map { _ in
          Task { try await world.returns(file, for: "/f") }
        }
        for answer in answers { check(try await answer.value, "a download has changed") }
        let duration = ContinuousClock.now - start
        check(duration < .seconds(20), "the downloads took \(duration)")
      }
    }
    Clause(
      "cancelled-download", "after a download is cancelled in the middle, others complete",
      from: "this project"
    ) { fixture in
      let file = content(4_000_000)
      let world = try await fixture.fileWorld(["f": file, "g": content(1000)])
      for _ in 1...3 {
        let other = Task { try await world.returns(file, for: "/f") }
        let exchange = try await world.send(.get, "/f")
        var body = exchange.body.makeAsyncIterator()
        _ = try await body.next()
        exchange.body.cancel()
        do throws(TransportError) {
          while try await body.next() != nil {}
          Issue.record("the cancelled download ended normally")
        } catch {
          checkEqual(error.kind, .cancelled, "the kind of '\(error)'")
        }
        check(try await world.returns(content(1000), for: "/g"), "the next file has changed")
        check(try await other.value, "the concurrent download has changed")
      }
    }
    Clause(
      "unread-download", "a download that nobody reads blocks no other request",
      from: "RFC 9113 §5.2", timeLimit: .seconds(60)
    ) { fixture in
      let file = content(8_000_000)
      let world = try await fixture.fileWorld(["f": file, "g": content(1000)])
      let unread = try await world.send(.get, "/f")
      for _ in 1...10 {
        check(try await world.returns(content(1000), for: "/g"), "another file has changed")
      }
      check(
        isEqual(try await unread.body.collect(upTo: 1 << 24), file), "the download has changed")
    }
  }
}
