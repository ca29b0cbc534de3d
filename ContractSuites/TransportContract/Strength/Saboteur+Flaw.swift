import ContractTesting
import Testing
import TransportPort

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
    _ configure: @escaping @Sendable (inout TransportFlaws) -> Void
  ) -> Saboteur {
    Saboteur(
      id, description, caughtBy: clause, saying: message, timeLimit: timeLimit,
      sourceLocation: sourceLocation
    ) { scope in
      var flaws = TransportFlaws()
      configure(&flaws)
      let receivedBytes = flaws.receivedBytes
      let plan = flaws.plan
      flaws.plan = { plan($0.mapSentBytes(receivedBytes)) }
      return TransportFixture(inMemory: scope, flaws: flaws)
    }
  }
}

extension OriginPlan {
  /// Returns the plan with the bytes of each `send` step changed.
  fileprivate func mapSentBytes(
    _ change: @escaping @Sendable ([UInt8]) -> [UInt8]
  ) -> OriginPlan {
    mapScripts { script in
      OriginScript(
        script.steps.map { step in
          guard case .send(let bytes) = step else { return step }
          return .send(change(bytes))
        })
    }
  }

  /// Returns the plan with the script of each request changed.
  func mapScripts(_ change: @escaping @Sendable (OriginScript) -> OriginScript) -> OriginPlan {
    var plan = self
    let script = onRequest
    plan.onRequest = { change(script($0)) }
    return plan
  }
}

extension [UInt8] {
  /// Returns the bytes with each occurrence of a text replaced.
  func replacing(_ text: String, by other: String) -> [UInt8] {
    replacing(Array(text.utf8), with: Array(other.utf8))
  }
}

extension HTTPResponseBody {
  /// The same content, whose cancellation ends nothing.
  var withoutCancellation: HTTPResponseBody {
    HTTPResponseBody(
      next: { () async throws(TransportError) in
        var iterator = self.makeAsyncIterator()
        return try await iterator.next().map { .bytes($0) } ?? .end(trailers: [:])
      }, cancel: {})
  }
}
