import CPlatform
import ScriptedOrigin
import Testing
import TransportPort

@testable import TransportCurlAdapter

@Suite struct CurlTimeTests {
  @Test func `the connect timeout has its own error and millisecond precision`() async throws {
    let world = try CurlWorld(OriginPlan(reachability: .silent) { _ in [] })
    var options = TransportOptions()
    options.connectTimeout = .milliseconds(150)
    let taken = try await best(of: 25, under: .milliseconds(250)) {
      let start = ContinuousClock.now
      let error = try await world.failure(options: options)
      #expect(error.kind == .connectTimeout)
      #expect(error.phase == .connecting)
      #expect(!error.bytesSent)
      #expect(error.isRetrySafe)
      return ContinuousClock.now - start
    }
    #expect(taken >= .milliseconds(150) && taken < .milliseconds(250))
  }

  @Test func `a refused connection has its own error`() async throws {
    let world = try CurlWorld(OriginPlan(reachability: .refusing) { _ in [] })
    let error = try await world.failure(.post, body: .text("x"))
    #expect(error.kind == .connectionRefused)
    #expect(error.phase == .connecting)
    #expect(error.isRetrySafe)
  }

  @Test func `an unknown host has its own error`() async throws {
    let world = try CurlWorld(OriginPlan(reachability: .unresolvable) { _ in [] })
    let error = try await world.failure()
    #expect(error.kind == .nameNotResolved)
    #expect(error.phase == .resolving)
    #expect(!error.bytesSent)
  }

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
