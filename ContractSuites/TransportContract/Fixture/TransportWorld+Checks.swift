import Testing
import TransportPort

extension TransportWorld {
  /// Checks that an exchange fails, as a whole or while its body is read, with an error of a kind.
  ///
  /// - Returns: The error, where there was one.
  @discardableResult
  func expectFailure(
    _ kinds: TransportError.Kind..., of method: HTTPRequest.Method = .get, _ path: String = "/",
    _ fields: HTTPFields = [:], body: HTTPRequestBody = .none,
    options: TransportOptions = TransportOptions(),
    sourceLocation: SourceLocation = #_sourceLocation
  ) async -> TransportError? {
    await expectFailure(
      kinds, of: request(method, path, fields), body: body, options: options,
      sourceLocation: sourceLocation)
  }

  /// Checks that an exchange fails with an error of one of these kinds.
  @discardableResult
  func expectFailure(
    _ kinds: [TransportError.Kind], of request: HTTPRequest, body: HTTPRequestBody = .none,
    options: TransportOptions = TransportOptions(),
    sourceLocation: SourceLocation = #_sourceLocation
  ) async -> TransportError? {
    let expected = kinds.map { "\($0)" }.joined(separator: " or ")
    do throws(TransportError) {
      let answer = try await answer(to: request, body: body, options: options)
      Issue.record(
        "expected \(expected), got status \(answer.status) with \(shown(answer.text))",
        sourceLocation: sourceLocation)
      return nil
    } catch {
      check(
        kinds.contains(error.kind), "expected \(expected), got the error '\(error)'",
        sourceLocation)
      return error
    }
  }

  /// Checks that a request is refused as invalid, before any input or output.
  func expectRefusal(
    _ kind: TransportError.Kind, of request: HTTPRequest, body: HTTPRequestBody = .none,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    let error = await expectFailure(
      [kind], of: request, body: body, sourceLocation: sourceLocation)
    if let error {
      check(
        error.phase == .preparing && !error.bytesSent,
        "expected a refusal before any byte was sent, got '\(error)'", sourceLocation)
    }
    let counts = log.counts
    check(
      counts.connections == 0, "a request that is refused opened \(counts.connections) connections",
      sourceLocation)
  }

  /// Waits for something at the first peer, which must happen.
  func expect(
    _ what: String, _ isSatisfied: @escaping @Sendable (PeerLog.Counts) -> Bool,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let happened = try await log.happens(isSatisfied)
    let counts = log.counts
    check(happened, "expected that \(what); the peer saw \(counts)", sourceLocation)
  }
}

/// Records an issue that says no more than its message, where something doesn't hold.
func check(_ holds: Bool, _ message: @autoclosure () -> String, _ place: SourceLocation) {
  if !holds { Issue.record("\(message())", sourceLocation: place) }
}

/// Checks one thing, with words for both sides.
func expectEqual<Value: Equatable>(
  _ found: Value, _ expected: Value, _ what: @autoclosure () -> String,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  check(
    found == expected, "\(what()) is \(shown(found)), expected \(shown(expected))",
    sourceLocation)
}

/// A value for a message, shortened where it is long.
func shown(_ value: Any) -> String {
  let text = (value as? String)?.debugDescription ?? "\(value)"
  return text.utf8.count > 160 ? "\(text.prefix(120))… (\(text.utf8.count) octets)" : text
}
