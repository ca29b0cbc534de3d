import TransportPort

/// One verification in progress.
struct VerificationRun {
  /// Why an exchange is not verified.
  struct NotVerified: Error {
    var reason: String
  }

  private let archive: HTTPArchive
  private let settings: ArchiveVerification
  private let transport: any HTTPTransport
  private let origins: (recorded: HTTPOrigin, live: HTTPOrigin)?
  private let comparison: ResponseComparison
  private let clock: any Clock<Duration>

  init(
    _ archive: HTTPArchive, _ settings: ArchiveVerification, _ transport: any HTTPTransport,
    _ clock: any Clock<Duration>
  ) throws(ArchiveVerificationError) {
    self.archive = archive
    self.settings = settings
    self.clock = clock
    self.transport = transport.enforcing(
      Deadlines(connect: settings.timeLimit, overall: settings.timeLimit), clock: clock)
    comparison = try ResponseComparison(
      settings.matchers, isRecording: archive.isRecording, jsonLimit: 4 << 20)
    guard let live = settings.origin else {
      origins = nil
      return
    }
    let first = archive.entries.lazy.compactMap { try? Self.origin(of: $0) }.first
    let liveOrigin = try Self.origin(live)
    let recorded = try settings.recordedOrigin.map { text throws(ArchiveVerificationError) in
      try Self.origin(text)
    }
    origins = (recorded ?? first ?? liveOrigin, liveOrigin)
  }

  private static func origin(_ text: String) throws(ArchiveVerificationError) -> HTTPOrigin {
    let url = URLReference(text)
    guard url.path.isEmpty || url.path == "/", url.query == nil, url.fragment == nil,
      url.authority?.contains("@") == false,
      let wire = try? WireRequest(HTTPRequest(url: text), body: .none)
    else { throw .invalidOrigin(text) }
    return wire.origin
  }

  private static func origin(of entry: HTTPArchive.Entry) throws(TransportError) -> HTTPOrigin {
    try WireRequest(entry.request.withoutFraming, body: .none).origin
  }

  func report() async -> ArchiveVerification.Report {
    let stopwatch = Stopwatch(clock)
    var unreachable: [HTTPOrigin: String] = [:]
    var report = ArchiveVerification.Report()
    var mask = SecretMask(archive.redaction)
    for (number, entry) in archive.entries.enumerated() {
      let outcome: ArchiveVerification.Outcome
      if Task.isCancelled {
        outcome = .notVerified("the task was cancelled")
      } else if stopwatch.elapsed > settings.overallTimeLimit {
        outcome = .notVerified(
          "the time limit of \(settings.overallTimeLimit) for all exchanges had passed")
      } else {
        outcome = await self.outcome(of: entry, &unreachable)
      }
      report.exchanges.append(
        .init(
          entry: number, method: entry.request.method.rawValue, url: mask.url(entry.request.url),
          outcome: outcome.masked(by: &mask)))
    }
    return report
  }

  private func outcome(
    of entry: HTTPArchive.Entry, _ unreachable: inout [HTTPOrigin: String]
  ) async -> ArchiveVerification.Outcome {
    do throws(NotVerified) {
      try checkRecorded(entry)
      let (origin, live) = try target(of: entry)
      if let reason = unreachable[live] { throw NotVerified(reason: reason) }
      var restoration = RequestRestoration(archive.redaction, settings.secret)
      let (request, body) = try restoration.request(of: entry, from: origin, to: live)
      let answer = await ask(request, body)
      if let error = answer.error, !comparison.agrees(entry.failure, with: error),
        let reason = Self.silence(error)
      {
        if Self.isUnreachable(error) {
          unreachable[live] = "not asked, because \(live) could not be reached before"
        }
        throw NotVerified(reason: restoration.scrub(reason))
      }
      let seen = seen(answer, origin, live, restoration, of: entry)
      // Archives of other programs are not redacted.
      let changes = comparison.changes(
        from: try redacted(entry, "recorded"), to: try redacted(seen, "live"))
      guard changes.isEmpty else { return .stale(changes) }
      if case .unknown? = entry.response?.body, entry.request.method != .head {
        throw NotVerified(reason: "status and fields agree; the archive has no content to compare")
      }
      return .agrees
    } catch {
      return .notVerified(error.reason)
    }
  }

  /// Checks that the method may be sent, and that the archive has the server's whole answer.
  private func checkRecorded(_ entry: HTTPArchive.Entry) throws(NotVerified) {
    let method = entry.request.method
    guard settings.methods.contains(method) else {
      throw NotVerified(
        reason: "\(method) is sent only if it is named, because it may change something")
    }
    guard entry.response?.head.status.code != 101 else {
      throw NotVerified(reason: "the connection changed to another protocol")
    }
    guard let failure = entry.failure else { return }
    guard let kind = failure.kind else {
      throw NotVerified(reason: "the archive has no whole response: \(failure.detail)")
    }
    let ofCaller = [
      "cancelled", "shutDown", "connectTimeout", "idleTimeout", "deadlineExceeded",
      "concurrentBodyRead", "other",
    ]
    guard !ofCaller.contains(kind), !kind.hasPrefix("responseTooLarge") else {
      throw NotVerified(reason: "the recorded exchange was not ended by the server: \(kind)")
    }
  }

  /// The origin of an exchange, and the one to send it to.
  private func target(
    of entry: HTTPArchive.Entry
  ) throws(NotVerified) -> (recorded: HTTPOrigin, live: HTTPOrigin) {
    let recorded: HTTPOrigin
    do { recorded = try Self.origin(of: entry) } catch {
      throw NotVerified(reason: "it cannot be asked over HTTP: \(error.detail)")
    }
    guard let origins else { return (recorded, recorded) }
    guard recorded == origins.recorded else {
      throw NotVerified(
        reason: "it was recorded from \(recorded), and only \(origins.recorded) is asked")
    }
    return origins
  }

  private struct Answer {
    var response: HTTPArchive.Entry.Response?
    var error: TransportError?
  }

  private func ask(_ request: HTTPRequest, _ body: HTTPRequestBody) async -> Answer {
    var answer = Answer()
    do throws(TransportError) {
      let exchange = try await transport.send(request, body: body)
      answer.response = HTTPArchive.Entry.Response(head: exchange.response)
      var content: [UInt8] = []
      var iterator = exchange.body.makeAsyncIterator()
      while let chunk = try await iterator.next() {
        content += chunk
        if content.count > settings.bodyLimit {
          exchange.body.cancel()
          answer.response?.body = .unknown(size: content.count)
          return answer
        }
        answer.response?.body = .bytes(content)
      }
      answer.response?.trailers = exchange.body.trailerFields ?? [:]
    } catch {
      answer.error = error
    }
    return answer
  }

  /// The answer in the form of the archive: redacted, and with the recorded origin.
  private func seen(
    _ answer: Answer, _ recorded: HTTPOrigin, _ live: HTTPOrigin, _ restoration: RequestRestoration,
    of entry: HTTPArchive.Entry
  ) -> HTTPArchive.Entry {
    var seen = entry
    seen.failure = answer.error.map { RecordedFailure($0) }
    seen.response = answer.response.map { response in
      var response = response
      response.head.headerFields = restoration.localised(
        response.head.headerFields, from: live, to: recorded)
      response.trailers = restoration.localised(response.trailers, from: live, to: recorded)
      if case .bytes(let bytes) = response.body {
        response.body = .bytes(restoration.localised(bytes, from: live, to: recorded))
      }
      return response
    }
    return seen
  }

  private func redacted(
    _ entry: HTTPArchive.Entry, _ side: String
  ) throws(NotVerified) -> HTTPArchive.Entry {
    var redactor = Redactor(archive.redaction, collects: false)
    redactor.contentIsDecoded = !archive.isRecording
    do throws(RecordingError) {
      return try redactor.redact(entry, number: 0)
    } catch {
      guard case .contentNotReadable(_, _, let reason) = error else {
        throw NotVerified(reason: "\(error)")
      }
      throw NotVerified(reason: "the \(side) content cannot be redacted: \(reason)")
    }
  }

  /// Why an error says nothing about the server's answer; `nil` if it is the answer.
  private static func silence(_ error: TransportError) -> String? {
    switch error.kind {
    case .connectionReset, .emptyReply, .connectTimeout, .idleTimeout, .deadlineExceeded,
      .cancelled, .shutDown, .other:
      return "the live side gave no answer: \(error.kind): \(error.detail)"
    default:
      return isUnreachable(error) || error.phase == .preparing
        ? "the live side could not be asked: \(error.kind): \(error.detail)" : nil
    }
  }

  private static func isUnreachable(_ error: TransportError) -> Bool {
    error.kind == .connectTimeout
      || [.resolving, .connecting, .securing].contains(error.phase)
  }
}

extension ArchiveVerification.Outcome {
  /// The outcome without secrets.
  fileprivate func masked(by mask: inout SecretMask) -> Self {
    switch self {
    case .agrees: self
    case .stale(let changes): .stale(changes.map { mask.change($0) })
    case .notVerified(let reason): .notVerified(mask.text(reason))
    }
  }
}
