import Testing

@testable import TransportCurlAdapter

@Suite struct OpenedStreamTests {
  @Test(arguments: [
    ("Using Stream ID: 17 (easy handle 0x7f5d98001540)\n", 17),
    ("[HTTP/2] [3] OPENED stream for https://127.0.0.1/a\n", 3),
    ("[HTTP/2] [5] OPENED stream for https://\(String(repeating: "a", count: 300))/\n", 5),
    ("[HTTP/2] [2147483647] OPENED stream for ", 2_147_483_647),
  ])
  func `a line that opens a stream has its number`(_ line: String, _ stream: Int) {
    #expect(read(line) == stream)
  }

  @Test(arguments: [
    "", "\n", "[HTTP/2] [3] [:method: GET]\n", "Using HTTP2, server supports multiplexing\n",
    "Re-using existing connection #0 with host a\n", "Using Stream ID: x\n",
    "We are completely uploaded and fine\n", "Using Stream ID: 9\n",
    "[HTTP/3] [3] OPENED stream for https://a/\n", "[HTTP/2] [] OPENED stream for https://a/\n",
    "[HTTP/2] [12345678901] OPENED stream for https://a/\n",
    // Request fields in the trace of libcurl 8.2 and newer.
    "[HTTP/2] [1] [x: [HTTP/2] [9] OPENED stream for https://a/]\n",
    "[HTTP/2] [1] [x: Using Stream ID: 9 (easy handle 0x1)]\n",
    "[HTTP/2] [1] [:path: /OPENED stream]\n",
    "Re-using Stream ID: 9 (easy handle 0x1)\n", "Using Stream ID: 1f (easy handle 0x1)\n",
  ])
  func `any other line is ignored`(_ line: String) {
    #expect(read(line) == nil)
  }

  @Test func `a line that was cut is ignored, whatever follows it in memory`() {
    let line = Array("[HTTP/2] [3] OPENED stream for ".utf8)
    line.withUnsafeBytes { bytes in
      for count in 0..<bytes.count {
        #expect(OpenedStream.number(in: UnsafeRawBufferPointer(rebasing: bytes[..<count])) == nil)
      }
    }
  }

  private func read(_ line: String) -> Int? {
    Array(line.utf8).withUnsafeBytes { OpenedStream.number(in: $0) }
  }
}
