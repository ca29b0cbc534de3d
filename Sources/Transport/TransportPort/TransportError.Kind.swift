extension TransportError {
  /// What went wrong; fine enough that a caller never needs to read the text.
  public enum Kind: Sendable, Hashable {
    // The caller.
    /// The task was cancelled, or the response was dropped while being read.
    case cancelled
    /// The transport was shut down.
    case shutDown
    /// The request is wrong and nothing was sent.
    case invalidRequest(InvalidRequest)
    /// The scheme is neither `http` nor `https`.
    case unsupportedScheme(String)
    /// The producer of the request body threw; the error is in `underlying`.
    case bodyProducerFailed
    /// The producer of the request body gave more or fewer bytes than were declared.
    case bodyLengthMismatch
    /// The body would have to be sent a second time, and cannot be.
    case bodyNotReplayable
    /// The response body is larger than the stated limit, in bytes.
    case responseTooLarge(limit: Int)
    /// Two tasks read one response body at the same time.
    case concurrentBodyRead
    /// The cookie store threw; the error is in `underlying`.
    case cookieStoreFailed

    // Time.
    /// No connection within the connect time-out.
    case connectTimeout
    /// No byte moved for the idle time-out.
    case idleTimeout
    /// The whole exchange took longer than its deadline.
    case deadlineExceeded

    // The way there.
    /// The host has no address.
    case nameNotResolved
    /// Nobody listens on the port.
    case connectionRefused
    /// The connection could not be opened, for another reason.
    case connectFailed
    /// The connection was reset or broke while in use.
    case connectionReset
    /// The TLS handshake failed.
    case tls(TLSFailure)
    /// The proxy asks for credentials (407).
    case proxyAuthenticationRequired
    /// The proxy refused or failed, for another reason.
    case proxyFailed

    // The response.
    /// The connection ended before the first line of a response was complete.
    case emptyReply
    /// The head is not that of an HTTP response.
    case malformedHead
    /// The connection ended within the head.
    case truncatedHead
    /// The head, or the trailers, are larger than the limit or have too many fields.
    case headTooLarge
    /// More interim responses than the limit came before a final one.
    case tooManyInformational
    /// Content-Length was given more than once, with different values.
    case conflictingLength
    /// Content-Length is not a number of bytes.
    case invalidLength
    /// A transfer coding other than chunked was used.
    case unsupportedTransferCoding
    /// The connection ended within the body.
    case truncatedBody
    /// The chunked framing is broken.
    case badChunk
    /// A rule of HTTP/2 or later was broken by the other side.
    case protocolViolation

    // Decoding.
    /// The encoded content is broken.
    case corruptEncoding
    /// The encoded content ends early.
    case truncatedEncoding
    /// The content grows beyond the limits when decoded.
    case decompressionBomb
    /// The content has an encoding that nobody asked for.
    case unknownEncoding(String)

    // Redirects.
    /// More redirects than the limit.
    case tooManyRedirects
    /// A redirect leads back to where it came from.
    case redirectLoop
    /// A redirect leads to something that is no http or https URL.
    case invalidRedirect

    /// The library below cannot do what the configuration asks for, and nothing was sent.
    ///
    /// The name is that library's own, such as `CURLOPT_CAINFO_BLOB`; `detail` says what to do.
    case unsupportedOption(String)

    /// None of the others; see code and detail.
    case other

    /// Whether the same request may well succeed a moment later.
    var isPassing: Bool {
      switch self {
      case .connectTimeout, .idleTimeout, .nameNotResolved, .connectionRefused, .connectFailed,
        .connectionReset, .emptyReply, .truncatedHead, .truncatedBody:
        true
      default:
        false
      }
    }
  }

  /// What is wrong with a request.
  public enum InvalidRequest: Sendable, Hashable {
    /// The method is no token, or is CONNECT.
    case method
    /// The URL cannot be read or holds what must be percent-encoded.
    case url
    /// The URL has no host.
    case missingHost
    /// A field name is no token.
    case fieldName
    /// A field value holds CR, LF, NUL or another control.
    case fieldValue
    /// Content-Length is no number or does not match the body.
    case contentLength
    /// Transfer-Encoding is set by hand, Host is given twice, or the like.
    case framing
    /// The head is larger than ``WireRequest/headLimit``.
    case headTooLarge
    /// The method, HEAD or TRACE, does not allow a body.
    case body
  }

  /// Why a TLS connection was not made.
  public enum TLSFailure: Sendable, Hashable {
    /// The certificate is no longer valid.
    case certificateExpired
    /// The certificate is for another host.
    case wrongHost
    /// The certificate is signed by itself and not trusted.
    case selfSigned
    /// The certificate's issuer is not trusted.
    case unknownAuthority
    /// The peer speaks no version that is allowed (TLS 1.2 or newer).
    case protocolVersion
    /// Another failure of the handshake.
    case handshake
  }
}
