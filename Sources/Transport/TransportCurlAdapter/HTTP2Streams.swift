/// What a server sent on the streams of one connection that transfers use.
///
/// A server may go on with a stream that its transfer has left. Nothing of that is kept: a connection
/// may outlive many cancelled transfers.
struct HTTP2Streams {
  /// What the server sent on a stream.
  struct Stream {
    /// Whether the server ended its side of the stream with END_STREAM.
    var isEnded = false
    /// The error code of RST_STREAM (RFC 9113 §7); `nil` if the server did not send it.
    var resetCode: UInt32?
    /// The number of bytes of content.
    var contentCount = 0
    /// Whether the head of the final response was received.
    var hasHead = false
    /// Whether fields followed the final head.
    var hasTrailers = false
    /// The trailer fields, if they could be decoded.
    var trailers: [HPACKDecoder.Field] = []
    /// What the last record had of an early response; see ``HTTP2Streams/retainsParts``.
    var parts: [Part] = []

    /// Records a field block; `nil` if it could not be decoded.
    fileprivate mutating func note(_ fields: [HPACKDecoder.Field]?) {
      if hasHead || contentCount > 0 {
        hasTrailers = true
        trailers = fields ?? []
      } else if let status = fields?.first, status.value.first != UInt8(ascii: "1") {
        hasHead = true
      }
    }
  }

  /// A part of a response.
  enum Part {
    case fields([HPACKDecoder.Field])
    case content([UInt8])
  }

  /// Whether to keep the parts of responses that arrive in the last record.
  ///
  /// libcurl 7.88 loses what it reads together with RST_STREAM.
  var retainsParts = false
  private var all: [Int: Stream] = [:]
  /// The streams that have parts.
  private var withParts: [Int] = []

  subscript(stream: Int) -> Stream? { all[stream] }

  /// The number of streams.
  var count: Int { all.count }

  /// Begins to record what the server sends on a stream, before it can have sent anything.
  mutating func follow(_ stream: Int) { all[stream] = Stream() }

  /// Forgets a stream that its transfer has left.
  mutating func forget(_ stream: Int) { all[stream] = nil }

  /// Forgets the parts of the record before.
  mutating func forgetParts() {
    for stream in withParts { all[stream]?.parts = [] }
    withParts = []
  }

  /// Records a field block; `nil` if it could not be decoded.
  mutating func note(_ fields: [HPACKDecoder.Field]?, on stream: Int) {
    all[stream]?.note(fields)
    if let fields { retain(.fields(fields), of: stream) }
  }

  /// Records content.
  mutating func note(_ content: UnsafeRawBufferPointer, on stream: Int) {
    all[stream]?.contentCount += content.count
    if retainsParts { retain(.content(Array(content)), of: stream) }
  }

  /// Records END_STREAM.
  mutating func noteEnd(of stream: Int) { all[stream]?.isEnded = true }

  /// Records RST_STREAM.
  mutating func noteReset(of stream: Int, code: Int) {
    all[stream]?.resetCode = UInt32(truncatingIfNeeded: code)
  }

  private mutating func retain(_ part: Part, of stream: Int) {
    guard retainsParts, all[stream] != nil else { return }
    all[stream]?.parts.append(part)
    withParts.append(stream)
  }
}
