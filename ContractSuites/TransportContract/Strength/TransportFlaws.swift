import ContractTesting
import Testing
import TransportPort

/// The mistakes of a deliberately broken transport; without changes, the transport has none.
struct TransportFlaws: Sendable {
  typealias Send =
    @Sendable (any HTTPTransport, HTTPRequest, HTTPRequestBody, TransportOptions) async throws ->
    HTTPExchange

  /// Changes the setup before the transport opens.
  var setup: @Sendable (inout TransportSetup) -> Void = { _ in }

  /// Changes the arguments of `send` before the transport validates them.
  var request:
    @Sendable (inout HTTPRequest, inout HTTPRequestBody, inout TransportOptions) -> Void =
      { _, _, _ in }

  /// Sends a request over the correct transport.
  var send: Send = { try await $0.send($1, body: $2, options: $3) }

  /// Changes the response.
  var response: @Sendable (inout HTTPExchange) -> Void = { _ in }
}

/// A correct transport with flaws added.
struct FlawedTransport: HTTPTransport {
  let base: any HTTPTransport
  let flaws: TransportFlaws

  func send(
    _ request: HTTPRequest, body: HTTPRequestBody, options: TransportOptions
  ) async throws(TransportError) -> HTTPExchange {
    var (request, body, options) = (request, body, options)
    flaws.request(&request, &body, &options)
    do {
      var exchange = try await flaws.send(base, request, body, options)
      flaws.response(&exchange)
      return exchange
    } catch let error as TransportError {
      throw error
    } catch {
      throw TransportError(.other, phase: .awaitingHead, bytesSent: true, detail: "\(error)")
    }
  }
}

extension Saboteur<TransportFixture> {
  /// Creates a saboteur: the fake transport with one flaw.
  ///
  /// - Parameters:
  ///   - id: The stable id.
  ///   - description: The flaw, as a phrase whose subject is the transport.
  ///   - clause: The clause that must catch the flaw.
  ///   - message: A part of the message that the clause must record.
  ///   - timeLimit: The timeout of the clause. A clause that times out has caught the flaw.
  ///   - configure: Sets the flaw.
  static func flawed(
    _ id: String, _ description: String, caughtBy clause: String, saying message: String? = nil,
    timeLimit: Duration = .seconds(5), sourceLocation: SourceLocation = #_sourceLocation,
    _ configure: @escaping @Sendable (inout TransportFlaws) -> Void = { _ in }
  ) -> Saboteur {
    Saboteur(
      id, description, caughtBy: clause, saying: message, timeLimit: timeLimit,
      sourceLocation: sourceLocation
    ) { scope in
      var flaws = TransportFlaws()
      configure(&flaws)
      return TransportFixture(inMemory: scope, flaws: flaws)
    }
  }
}
