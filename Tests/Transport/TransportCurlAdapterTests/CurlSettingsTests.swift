import Dispatch
import ScriptedOrigin
import Testing
import TransportCurlAdapter
import TransportPort

/// HTTP/2 connections whose server is slow to send its settings, so that all requests but the first wait.
@Suite(.timeLimit(.minutes(1))) struct CurlSettingsTests {
  /// Holds a connection back until it is opened, for at most 20 s.
  private final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    func open() { semaphore.signal() }
    func pass() { if semaphore.wait(timeout: .now() + 20) == .success { open() } }
  }

  /// A world whose server begins with these steps once a gate is open, and 6 requests that wait for settings.
  private func requests(
    through gate: Gate, _ steps: ScriptStep...
  ) async throws -> (world: CurlWorld, tasks: [Task<String, any Error>]) {
    let plan = OriginPlan(
      version: .http2,
      onConnect: { _ in
        gate.pass()
        return OriginScript(steps)
      },
      onRequest: { .respond(text: $0.target) })
    let world = try CurlWorld(plan, scheme: .https)
    let tasks = (1...6).map { index in
      Task { try await world.answer(.get, "/\(index)").text }
    }
    try await world.log.first { $0.kind == .secured }
    return (world, tasks)
  }

  @Test func `they are sent on the same connection once the settings have arrived`() async throws {
    let gate = Gate()
    let (world, tasks) = try await requests(through: gate)
    gate.open()
    for (index, task) in tasks.enumerated() { #expect(try await task.value == "/\(index + 1)") }
    #expect(Set(world.log.requests.map(\.head.connection)) == [1])
  }

  @Test func `they do not wait for the content of the first`() async throws {
    let gate = Gate()
    let block = [UInt8](repeating: 0x61, count: 65_536)
    let plan = OriginPlan(
      version: .http2,
      onConnect: { _ in
        gate.pass()
        return []
      },
      onRequest: { request in
        guard request.target == "/flood" else { return .respond(text: request.target) }
        return [.send("HTTP/1.1 200 OK\r\n\r\n"), .sendRepeatedly(block, count: nil)]
      })
    let world = try CurlWorld(plan, scheme: .https)
    let flood = Task {
      let exchange = try await world.transport.send(world.request(.get, "/flood"))
      for try await _ in exchange.body {}
    }
    defer { flood.cancel() }
    try await world.log.first { $0.kind == .secured }
    let tasks = (1...6).map { index in
      Task { try await world.answer(.get, "/\(index)").text }
    }
    for _ in 1...1000 { await Task.yield() }
    gate.open()
    for (index, task) in tasks.enumerated() { #expect(try await task.value == "/\(index + 1)") }
  }

  @Test(arguments: [ScriptStep.close, .closeWithoutNotify, .reset])
  func `they end if their connections do`(_ ending: ScriptStep) async throws {
    let gate = Gate()
    let (_, tasks) = try await requests(through: gate, .pause(.milliseconds(20)), ending)
    gate.open()
    for task in tasks {
      let error = await #expect(throws: TransportError.self) { try await task.value }
      #expect(
        [.emptyReply, .connectionReset].contains(error?.kind), "\(String(describing: error))")
    }
  }

  @Test func `they can be cancelled, and others are sent later`() async throws {
    let gate = Gate()
    let (world, tasks) = try await requests(through: gate)
    for task in tasks.dropFirst() {
      task.cancel()
      let error = await #expect(throws: TransportError.self) { try await task.value }
      #expect(error?.kind == .cancelled)
    }
    gate.open()
    #expect(try await tasks[0].value == "/1")
    let later = (1...6).map { _ in Task { try await world.answer(.get, "/later").text } }
    for task in later { #expect(try await task.value == "/later") }
  }

  @Test func `they end with the transport`() async throws {
    let gate = Gate()
    let (world, tasks) = try await requests(through: gate)
    defer { gate.open() }
    await world.transport.shutDown()
    for task in tasks {
      let error = await #expect(throws: TransportError.self) { try await task.value }
      #expect(error?.kind == .shutDown)
    }
  }
}
