import ScriptedOrigin
import SystemLocks
import Testing
import TransportPort

@testable import TransportCurlAdapter

@Suite struct CurlCancellationTests {
  @Test func `an exchange that has ended asks its producer for nothing`() async throws {
    let world = try CurlWorld(.respond())
    let asked = Mutex(0)
    let chunks = Chunks(chunks: [[1]], willProduce: { _ in asked.withLock { $0 += 1 } })
    for _ in 1...100 {
      let body = HTTPRequestBody.stream(chunks)
      let transfer = try CurlTransfer(
        world.request(.post), body: body, options: TransportOptions(), owner: world.transport)
      let upload = try #require(transfer.upload)
      // As the driver thread does if the caller cancels while it starts the transfer.
      upload.stop()
      upload.start(for: transfer, driver: world.transport.driver)
    }
    // A task that was created for a producer would run before these.
    for _ in 1...100 { await Task {}.value }
    #expect(asked.withLock { $0 } == 0)
  }

  @Test func `a released transport completes the response that is being read`()
    async throws
  {
    let origin = try ScriptedOrigin(
      [
        .send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab"), .pause(.milliseconds(50)),
        .send("cd"),
      ])
    var transport: CurlTransport? = try CurlTransport()
    let exchange = try await transport?.send(HTTPRequest(url: origin.url))
    transport = nil
    #expect(try await exchange?.body.collect(upTo: 10) == Array("abcd".utf8))
  }
}
