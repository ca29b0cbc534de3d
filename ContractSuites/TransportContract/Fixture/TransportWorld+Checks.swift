import ContractTesting
import Testing
import TransportPort

extension TransportWorld {
  /// Checks that a request, or reading its response, fails with an error of one of these kinds.
  ///
  /// - Returns: The error; `nil` if there was none.
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

  /// Checks that a request, or reading its response, fails with an error of one of these kinds.
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
        "expected \(expected), got status \(answer.status) with \(describe(answer.text))",
        sourceLocation: sourceLocation)
      return nil
    } catch {
      check(
        kinds.contains(error.kind), "expected \(expected), got the error '\(error)'",
        sourceLocation: sourceLocation)
      check(
        !error.detail.isEmpty && !error.detail.hasPrefix(":"),
        "the error \(error.kind) has no detail but \(describe(error.detail))",
        sourceLocation: sourceLocation)
      if [.awaitingHead, .receivingBody, .decoding, .redirecting].contains(error.phase) {
        check(
          error.bytesSent, "an error while \(error.phase.rawValue) says that no byte was sent",
          sourceLocation: sourceLocation)
      }
      return error
    }
  }

  /// Checks that the transport rejects a request before it opens a connection.
  func expectRefusal(
    _ kind: TransportError.Kind, of request: HTTPRequest, body: HTTPRequestBody = .none,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    let error = await expectFailure(
      [kind], of: request, body: body, sourceLocation: sourceLocation)
    if let error {
      check(
        error.phase == .preparing && !error.bytesSent,
        "expected an error before any byte was sent, got '\(error)'",
        sourceLocation: sourceLocation)
    }
    checkEqual(
      log.counts.connections, 0, "the number of connections for the rejected request",
      sourceLocation: sourceLocation)
  }

  /// Checks that the counts of the first peer satisfy a condition within 5 s.
  ///
  /// - Parameters:
  ///   - event: The condition in words, after "expected that".
  ///   - isSatisfied: The condition.
  ///   - sourceLocation: Where the issue is reported.
  /// - Returns: Whether they did.
  @discardableResult
  func expect(
    _ event: String, _ isSatisfied: @escaping @Sendable (PeerLog.Counts) -> Bool,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> Bool {
    let happened = try await log.happens(isSatisfied)
    let counts = log.counts
    check(
      happened, "expected that \(event); the peer's counts are \(counts)",
      sourceLocation: sourceLocation)
    return happened
  }
}

/// Checks content against a text, so that the message shows texts and not lists of byte values.
func checkText(
  _ actual: [UInt8]?, _ expected: String, _ subject: @autoclosure () -> String,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  checkEqual(
    actual.map { String(decoding: $0, as: UTF8.self) }, expected, subject(),
    sourceLocation: sourceLocation)
}
