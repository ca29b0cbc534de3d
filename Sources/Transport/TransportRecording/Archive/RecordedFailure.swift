import TransportPort

/// The error of a recorded exchange, as the archive keeps it.
struct RecordedFailure: Sendable, Hashable {
  /// The name of the kind, such as `connectionReset` or `tls.selfSigned`; `nil` in archives of
  /// other programs.
  var kind: String?
  var phase: TransportError.Phase
  var bytesSent: Bool
  var code: Int?
  var detail: String
}

extension RecordedFailure {
  init(_ error: TransportError) {
    self.init(
      kind: Self.names[error.kind] ?? Self.name(error.kind), phase: error.phase,
      bytesSent: error.bytesSent, code: error.code, detail: error.detail)
  }

  /// The error that a replay throws.
  ///
  /// If the recorded caller cancelled the exchange, the error is of kind `other`, because the caller of
  /// the replay cancelled nothing.
  func error(_ method: HTTPRequest.Method) -> TransportError {
    var kind = kind.flatMap(Self.kind) ?? .other
    var detail = detail
    if kind == .cancelled || kind == .shutDown {
      detail = "the recorded exchange was given up by its caller; record it again (\(detail))"
      kind = .other
    }
    return TransportError(
      kind, phase: phase, method: method, bytesSent: bytesSent, code: code, detail: detail)
  }

  private static let names: [TransportError.Kind: String] = {
    let plain: [TransportError.Kind] = [
      .cancelled, .shutDown, .bodyProducerFailed, .bodyLengthMismatch, .bodyNotReplayable,
      .concurrentBodyRead, .cookieStoreFailed, .connectTimeout, .idleTimeout, .deadlineExceeded,
      .nameNotResolved, .connectionRefused, .connectFailed, .connectionReset,
      .proxyAuthenticationRequired, .proxyFailed, .emptyReply, .malformedHead, .truncatedHead,
      .headTooLarge, .tooManyInformational, .conflictingLength, .invalidLength,
      .unsupportedTransferCoding, .truncatedBody, .badChunk, .protocolViolation,
      .corruptEncoding, .truncatedEncoding, .decompressionBomb, .tooManyRedirects, .redirectLoop,
      .invalidRedirect, .other,
    ]
    let invalid: [TransportError.InvalidRequest] = [
      .method, .url, .missingHost, .fieldName, .fieldValue, .contentLength, .framing, .headTooLarge,
      .body,
    ]
    let tls: [TransportError.TLSFailure] = [
      .certificateExpired, .wrongHost, .selfSigned, .unknownAuthority, .protocolVersion,
      .certificateRequired, .handshake,
    ]
    var names: [TransportError.Kind: String] = [:]
    for kind in plain { names[kind] = "\(kind)" }
    for part in invalid { names[.invalidRequest(part)] = "invalidRequest.\(part)" }
    for cause in tls { names[.tls(cause)] = "tls.\(cause)" }
    return names
  }()

  private static let kinds = Dictionary(
    names.map { ($0.value, $0.key) }, uniquingKeysWith: { first, _ in first })

  /// The names of kinds with a value of their own.
  private static func name(_ kind: TransportError.Kind) -> String {
    switch kind {
    case .responseTooLarge(let limit): "responseTooLarge:\(limit)"
    case .unknownEncoding(let name): "unknownEncoding:\(name)"
    case .unsupportedOption(let name): "unsupportedOption:\(name)"
    case .unsupportedScheme(let name): "unsupportedScheme:\(name)"
    default: "other"
    }
  }

  private static func kind(_ name: String) -> TransportError.Kind? {
    if let kind = kinds[name] { return kind }
    let parts = name.split(separator: ":", maxSplits: 1).map(String.init)
    guard parts.count == 2 else { return nil }
    switch parts[0] {
    case "responseTooLarge": return Int(parts[1]).map { .responseTooLarge(limit: $0) }
    case "unknownEncoding": return .unknownEncoding(parts[1])
    case "unsupportedOption": return .unsupportedOption(parts[1])
    case "unsupportedScheme": return .unsupportedScheme(parts[1])
    default: return nil
    }
  }
}
