/// One step of an origin on a connection.
///
/// ``FakeTransport`` and `ScriptedOrigin` play the same steps. For HTTP/2, scripts still send
/// HTTP/1.1 messages with their framing; the origin converts them to the headers and data of a
/// stream.
public enum ScriptStep: Sendable, Hashable {
  /// Sends bytes verbatim.
  case send([UInt8])

  /// Sends bytes `count` times, or without end if `count` is `nil`; for floods.
  case sendRepeatedly([UInt8], count: Int?)

  /// Does nothing for a duration.
  case pause(Duration)

  /// Reads the request body to its end.
  case readBody

  /// Reads this many bytes of the request body, or fewer if it ends earlier.
  case readBodyBytes(Int)

  /// Reads the request body and sends each received piece back as one chunk of the chunked coding.
  ///
  /// A later step must send the last chunk.
  case echoBody

  /// Closes the connection: `close_notify` under TLS, then FIN.
  case close

  /// Closes the connection with FIN but without the `close_notify` that TLS requires.
  case closeWithoutNotify

  /// Resets the connection with RST.
  case reset

  /// Resets the stream of the request with an error code (RFC 9113 §7), and no other stream.
  ///
  /// The code 7, REFUSED_STREAM, says that the request was not processed (§8.7). Over HTTP/1.1 it
  /// resets the connection.
  case resetStream(UInt32)

  /// Neither reads nor sends until the client closes the connection.
  case stall

  /// Sends GOAWAY over HTTP/2: the connection accepts no more requests. No effect over HTTP/1.1.
  ///
  /// Earlier requests on the connection are still answered, and this one too if `isProcessed`. If
  /// not, this request and later ones had no effect and are safe to retry.
  case goAway(isProcessed: Bool)
}

extension ScriptStep {
  /// Sends text as UTF-8.
  public static func send(_ text: String) -> Self {
    .send(Array(text.utf8))
  }
}
