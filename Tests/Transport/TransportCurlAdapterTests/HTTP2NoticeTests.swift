import Testing

@testable import TransportCurlAdapter

@Suite struct HTTP2NoticeTests {
  @Test(arguments: [
    ("Using Stream ID: 17 (easy handle 0x7f5d98001540)\n", HTTP2Notice.opened(stream: 17)),
    ("[HTTP/2] [3] OPENED stream for https://127.0.0.1/a\n", .opened(stream: 3)),
    ("recveived GOAWAY, error=0, last_stream=1\n", .goAway(lastStream: 1)),
    ("received GOAWAY, error=11, last_stream=2147483647\n", .goAway(lastStream: 2_147_483_647)),
    ("REFUSED_STREAM, retrying a fresh connect\n", .refused),
  ])
  func `a line with an event is parsed`(_ line: String, _ notice: HTTP2Notice) {
    #expect(read(line) == notice)
  }

  @Test(arguments: [
    "", "\n", "[HTTP/2] [3] [:method: GET]\n", "Using HTTP2, server supports multiplexing\n",
    "Re-using existing connection #0 with host a\n", "received GOAWAY\n", "Using Stream ID: x\n",
    "We are completely uploaded and fine\n",
    // Request fields in the trace of libcurl 8.2 and newer.
    "[HTTP/2] [1] [x: GOAWAY last_stream=0]\n",
    "[HTTP/2] [1] [x: received GOAWAY, error=0, last_stream=0]\n",
    "[HTTP/2] [1] [x: [HTTP/2] [9] OPENED stream for https://a/]\n",
    "[HTTP/2] [1] [x: Using Stream ID: 9 (easy handle 0x1)]\n",
    "[HTTP/2] [1] [received: GOAWAY, error=0, last_stream=0]\n",
    "[HTTP/2] [1] [:path: /OPENED stream]\n",
    "received GOAWAY, error=0, last_stream=0]\n", "Re-using Stream ID: 9 (easy handle 0x1)\n",
    "REFUSED_STREAM, retrying a fresh connect]\n", "Using Stream ID: 1f (easy handle 0x1)\n",
  ])
  func `any other line is ignored`(_ line: String) {
    #expect(read(line) == nil)
  }

  private func read(_ line: String) -> HTTP2Notice? {
    Array(line.utf8).withUnsafeBytes { HTTP2Notice($0) }
  }
}
