/// One thing that an origin does on a connection.
///
/// The vocabulary is the same for ``FakeTransport`` and for a server on a real socket, so that each
/// scenario can be played on both. Over HTTP/2 what is sent is still written as HTTP/1.1, with its
/// framing, and is carried as the fields and data of a stream of its own.
public enum ScriptStep: Sendable, Hashable {
  /// Sends these bytes as they are.
  case send([UInt8])

  /// Sends these bytes `count` times over, for floods; `nil` means without end.
  case sendRepeatedly([UInt8], count: Int?)

  /// Does nothing for a while.
  case pause(Duration)

  /// Reads the request's body to its end, by the framing that the request declares.
  case readBody

  /// Reads this many bytes of the request's content, fewer if it ends before.
  case readBodyBytes(Int)

  /// Reads the request's body and sends each piece back as one chunk of the chunked coding, as it
  /// comes; the last chunk is left to a later step.
  case echoBody

  /// Ends the connection in order: `close_notify` under TLS, then FIN.
  case close

  /// Ends the connection with a FIN but without the `close_notify` that TLS asks for.
  case closeWithoutNotify

  /// Ends the connection with a RST.
  case reset

  /// Neither reads nor sends any more until the client closes the connection.
  case stall

  /// Announces that the connection takes no more requests: GOAWAY of HTTP/2, nothing over HTTP/1.1.
  ///
  /// Those before this one are still answered. If `isProcessed`, so is this one; if not, neither it
  /// nor any after it had an effect, and each may be sent again.
  case goAway(isProcessed: Bool)
}

extension ScriptStep {
  /// Sends text as UTF-8.
  public static func send(_ text: String) -> Self {
    .send(Array(text.utf8))
  }
}
