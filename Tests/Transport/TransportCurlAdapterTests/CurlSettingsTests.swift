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
