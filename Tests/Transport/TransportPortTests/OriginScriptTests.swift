import Testing
import TransportPort

@Suite struct OriginScriptTests {
  @Test func `a response has Content-Length unless the script frames it otherwise`() {
    #expect(
      OriginScript.respond(headerFields: ["X": "y"], text: "hi").steps
        == [.readBody, .send("HTTP/1.1 200 \r\nX: y\r\nContent-Length: 2\r\n\r\nhi")])
    #expect(OriginScript.respond(204).steps == [.readBody, .send("HTTP/1.1 204 \r\n\r\n")])
    #expect(
      OriginScript.respond(headerFields: ["transfer-encoding": "chunked"], text: "0\r\n\r\n").steps
        == [.readBody, .send("HTTP/1.1 200 \r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n")])
  }

  @Test(arguments: [100, 199, 204, 304])
  func `a status without content gets no Content-Length`(status: Int) {
    let steps = OriginScript.respond(status).steps
    #expect(steps == [.readBody, .send("HTTP/1.1 \(status) \r\n\r\n")])
  }

  @Test func `split scripts send the same bytes in pieces`() {
    let script: OriginScript = [.send("abcde"), .close]
    #expect(script.split(into: 9).steps == script.steps)
    #expect(script.split(into: 5).steps == script.steps)
    #expect(
      script.split(into: 2, pausing: .seconds(1)).steps
        == [
          .send("ab"), .pause(.seconds(1)), .send("cd"), .pause(.seconds(1)), .send("e"), .close,
        ])
    #expect(script.split(into: 0).steps.count == 6)
  }
}
