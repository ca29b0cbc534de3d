extension CurlHandle {
  /// The state of the request.
  struct Outgoing {
    /// The number of content bytes that libcurl has taken.
    var sent = 0
    /// Whether the producer of the content has ended.
    var isUploaded = false
    /// Whether libcurl has paused the upload until the producer has content.
    var isWaitingForContent = false
    /// Whether an earlier attempt passed the whole request to the system.
    var wasSent = false
    /// The number of connections on which libcurl has started to send the request.
    var attempts = 0
    /// The connection, and the HTTP/2 stream on it.
    var connection: CurlConnection?
    var stream: Int?
    /// Whether the connection was used before.
    var isKeptConnection = false
    /// Whether the server has announced that it did not process the request.
    var isUnprocessed = false
    /// Whether the server refused the last attempt's stream, as it does with more than it allows.
    var isRefused = false
    /// The connection that libcurl chose, while its server has not said how many streams it allows.
    var connectionWithoutSettings: CurlConnection?
    /// The number of kept connections that turned out to be stale before this try sent the request.
    var staleConnections = 0
    /// Whether libcurl was kept from resending the request after its final head.
    var isRepeated = false
  }
}
