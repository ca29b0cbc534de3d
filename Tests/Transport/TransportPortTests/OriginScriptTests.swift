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
}
