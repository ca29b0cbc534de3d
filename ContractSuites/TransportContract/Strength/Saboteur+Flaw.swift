import ContractTesting
import Testing
import TransportPort

extension Saboteur<TransportFixture> {
  /// A transport with one flaw, over the fake.
  ///
  /// - Parameters:
  ///   - id: The stable id.
  ///   - words: What is wrong with it.
  ///   - clause: The clause that must catch it.
  ///   - message: A part of what the clause must say.
  ///   - spoil: Makes the flaw.
  static func flawed(
    _ id: String, _ words: String, caughtBy clause: String, saying message: String? = nil,
    timeLimit: Duration = .seconds(5), sourceLocation: SourceLocation = #_sourceLocation,
    _ spoil: @escaping @Sendable (inout Flaws) -> Void
  ) -> Saboteur {
    Saboteur(
      id, words, caughtBy: clause, saying: message, timeLimit: timeLimit,
      sourceLocation: sourceLocation
    ) { scope in
      var flaws = Flaws()
      spoil(&flaws)
      let misread = flaws.bytes
      let plan = flaws.plan
      flaws.plan = { plan($0.misread(by: misread)) }
      return TransportFixture(playedIn: scope, flaws: flaws)
    }
  }
}

extension OriginPlan {
  /// The plan with everything that is sent changed.
  fileprivate func misread(by change: @escaping @Sendable ([UInt8]) -> [UInt8]) -> OriginPlan {
    mapScripts { script in
      OriginScript(
        script.steps.map { step in
          guard case .send(let bytes) = step else { return step }
          return .send(change(bytes))
        })
    }
  }

  /// The plan with each script for a request changed.
  func mapScripts(_ change: @escaping @Sendable (OriginScript) -> OriginScript) -> OriginPlan {
    var plan = self
    let play = onRequest
    plan.onRequest = { change(play($0)) }
    return plan
  }
}

extension [UInt8] {
  /// The bytes with each occurrence of a text replaced.
  func replacing(_ text: String, by other: String) -> [UInt8] {
    var (result, rest): ([UInt8], ArraySlice<UInt8>) = ([], self[...])
    while let range = rest.firstRange(of: Array(text.utf8)) {
      result += rest[..<range.lowerBound] + Array(other.utf8)
      rest = rest[range.upperBound...]
    }
    return result + rest
  }
}
