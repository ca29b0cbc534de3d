import CPlatform
import ScriptedOrigin
import Testing
import TransportPort

@testable import TransportCurlAdapter

@Suite struct CurlTimeTests {
  @Test(
    .enabled(if: OperatingSystem.current == .linux),
    .enabled(if: CurlLibrary.current.abandonsLookups, "libcurl before 7.87 waits for it"))
  func `a slow lookup delays no other exchange, not even when it is cancelled`() async throws {
    let slow = try ScriptedOrigin(
      OriginPlan(reachability: .resolvingSlowly(.seconds(30))) { _ in .respond() })
    let world = try CurlWorld(.respond(text: "hi"))
    let clock = ContinuousClock()
    let lookup = Task {
      _ = try await world.transport.send(HTTPRequest(url: slow.url))
    }
    #expect(try await clock.measure { try await world.answer() } < .seconds(10))
    lookup.cancel()
    let wait = try await clock.measure {
      let error = await #expect(throws: TransportError.self) { try await lookup.value }
      #expect(error?.kind == .cancelled)
      #expect(error?.bytesSent == false)
      try await world.answer()
    }
    #expect(wait < .seconds(10))
    var options = TransportOptions()
    options.connectTimeout = .milliseconds(100)
    do throws(TransportError) {
      _ = try await world.transport.send(
        HTTPRequest(url: slow.url), body: .none, options: options)
      Issue.record("the lookup succeeded within its time-out")
    } catch {
      #expect(error.kind == .connectTimeout)
      #expect(error.phase == .resolving)
    }
    let end = await clock.measure { await world.transport.shutDown() }
    #expect(end < .seconds(10))
    #expect(slow.log.connectionCount == 0)
  }

  @Test(.enabled(if: OperatingSystem.current == .linux))
  func `a slow lookup succeeds`() async throws {
    let world = try CurlWorld(
      OriginPlan(reachability: .resolvingSlowly(.milliseconds(60))) { _ in .respond(text: "hi") })
    #expect(try await world.answer().text == "hi")
  }
}
