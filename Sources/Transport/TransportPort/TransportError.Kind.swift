extension TransportError {
  /// The cause of a failure, detailed enough that a caller need not parse
  /// ``TransportError/detail``.
  public enum Kind: Sendable, Hashable {
    // Caused by the caller.
    /// The task was cancelled, or the body was cancelled while it was read.
    case cancelled
    /// The transport was shut down.
    case shutDown
    /// The request is invalid; nothing was sent.
    case invalidRequest(InvalidRequest)
    /// The scheme is neither `http` nor `https`.
    case unsupportedScheme(String)
    /// The producer of the request body threw; the error is in `underlying`.
    case bodyProducerFailed
    /// The producer of the request body made more or fewer bytes than declared.
    case bodyLengthMismatch
    /// The request body has to be sent again, but cannot be produced again.
    case bodyNotReplayable
    /// The response body is larger than the caller's limit in bytes.
    case responseTooLarge(limit: Int)
    /// Two tasks read one response body concurrently.
    case concurrentBodyRead
    /// The cookie store threw; the error is in `underlying`.
    case cookieStoreFailed

    // Time.
    /// The connection was not established within the connect timeout.
    case connectTimeout
    /// No byte was sent or received within the idle timeout.
    case idleTimeout
    /// The whole exchange exceeded its deadline.
    case deadlineExceeded

    // Connecting.
    /// The host name has no address.
    case nameNotResolved
    /// Nothing listens on the port.
    case connectionRefused
    /// The connection could not be established for another reason.
    case connectFailed
    /// The connection, or the HTTP/2 stream of the request, was reset or lost while in use.
    case connectionReset
    /// The TLS handshake failed.
    case tls(TLSFailure)
    /// The proxy requires credentials (407).
    case proxyAuthenticationRequired
    /// The proxy refused the connection or failed for another reason.
    case proxyFailed

    // The response.
    /// The connection ended before the status line was complete.
    case emptyReply
    /// The head is not a valid HTTP response head.
    case malformedHead
    /// The connection ended inside the head.
    case truncatedHead
    /// The head or the trailers exceed ``HTTPHeadLimits``, in bytes or in fields.
    case headTooLarge
    /// The server sent more interim responses than ``HTTPHeadLimits/informational``.
    case tooManyInformational
    /// The response has several Content-Length values that differ.
    case conflictingLength
    /// Content-Length is not a decimal number.
    case invalidLength
    /// The response uses a transfer coding other than chunked.
    case unsupportedTransferCoding
    /// The connection ended inside the body.
    case truncatedBody
    /// The chunked framing is invalid.
    case badChunk
    /// The peer violated HTTP/2 or a later version.
    case protocolViolation

    // Decoding.
    /// The encoded content is corrupt.
    case corruptEncoding
    /// The encoded content is incomplete.
    case truncatedEncoding
    /// The decoded content exceeds the limits of the decoding policy.
    case decompressionBomb
    /// The content has an encoding without a decoder.
    case unknownEncoding(String)

    // Redirects.
    /// The request was redirected more often than the limit allows.
    case tooManyRedirects
    /// A redirect leads back to a request of the same chain.
    case redirectLoop
    /// The target of a redirect is not an http or https URL.
    case invalidRedirect

    /// The library that the adapter uses lacks an option that the configuration needs.
    ///
    /// Nothing was sent. The associated value is that library's name of the option, such as
    /// `CURLOPT_CAINFO_BLOB`; ``TransportError/detail`` says what to do.
    case unsupportedOption(String)

    /// Another failure; see ``TransportError/code`` and ``TransportError/detail``.
    case other

    /// Creates the kind of failure of a request whose HTTP/2 stream was reset.
    ///
    /// - Parameter streamError: The error code of RFC 9113 §7. A code that reports a violation of
    ///   HTTP/2 is a `protocolViolation`; any other, such as INTERNAL_ERROR or CANCEL, is a
    ///   `connectionReset`.
    package init(streamError: UInt32) {
      // PROTOCOL_ERROR, FLOW_CONTROL_ERROR, SETTINGS_TIMEOUT, STREAM_CLOSED, FRAME_SIZE_ERROR,
      // COMPRESSION_ERROR, INADEQUATE_SECURITY, HTTP_1_1_REQUIRED.
      let isViolation = [1, 3, 4, 5, 6, 9, 12, 13].contains(streamError)
      self = isViolation ? .protocolViolation : .connectionReset
    }

    /// Whether the same request may succeed when it is sent again.
    var isTransient: Bool {
      switch self {
      case .connectTimeout, .idleTimeout, .nameNotResolved, .connectionRefused, .connectFailed,
        .connectionReset, .emptyReply, .truncatedHead, .truncatedBody:
        true
      default:
        false
      }
    }
  }

  /// The part of a request that is invalid.
  public enum InvalidRequest: Sendable, Hashable {
    /// The method is not a token, or is CONNECT.
    case method
    /// The URL is malformed or contains a character that must be percent-encoded.
    case url
    /// The URL has no host.
    case missingHost
    /// A field name is not a token.
    case fieldName
    /// A field value contains CR, LF, NUL or another control character.
    case fieldValue
    /// Content-Length is not a number or does not match the body.
    case contentLength
    /// The request sets Transfer-Encoding, or has more than one Host field.
    case framing
    /// The head is larger than ``WireRequest/headLimit``.
    case headTooLarge
    /// The request has a body that its method, such as HEAD or TRACE, does not allow.
    case body
  }

  /// The cause of a failed TLS handshake.
  public enum TLSFailure: Sendable, Hashable {
    /// The certificate has expired, or is not valid yet.
    case certificateExpired
    /// The certificate is for another host.
    case wrongHost
    /// The certificate is self-signed and not trusted.
    case selfSigned
    /// The certificate's issuer is not trusted.
    case unknownAuthority
    /// The peer supports no TLS version that is allowed (1.2 or newer).
    case protocolVersion
    /// The server demands a certificate of the client.
    ///
    /// Only TLS 1.3 has an alert for this; with TLS 1.2 the failure is ``handshake``. In TLS 1.3 the
    /// alert arrives after the request may have been sent.
    case certificateRequired
    /// The handshake failed for another reason.
    case handshake
  }
}
