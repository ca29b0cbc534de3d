/// What a server sent on the streams of one connection that transfers use.
///
/// A server may go on with a stream that its transfer has left. Nothing of that is kept: a connection
/// may outlive many cancelled transfers.
struct HTTP2Streams {
  /// The code of RST_STREAM with which a server refuses a stream (RFC 9113 §7).
  static let refused: UInt32 = 7

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
    /// The number of field blocks.
    var blockCount = 0
    /// The last parts of the response; see ``HTTP2Streams/retainsParts``.
    private(set) var parts: [Part] = []
    /// The number of content bytes and of field blocks in ``parts``.
    private var partCounts = (content: 0, blocks: 0)

    /// Returns the parts that a transfer has not received; `nil` if they are not known any more.
    func parts(afterBlocks blocks: Int, content: Int) -> [Part]? {
      var known = (
        content: content - (contentCount - partCounts.content),
        blocks: blocks - (blockCount - partCounts.blocks)
      )
      guard known.content >= 0, known.blocks >= 0 else { return nil }
      return parts.compactMap { part in
        switch part {
        case .fields:
          known.blocks -= 1
          return known.blocks < 0 ? part : nil
        case .content(let bytes):
          defer { known.content -= min(known.content, bytes.count) }
          return known.content < bytes.count ? .content(Array(bytes[known.content...])) : nil
        }
      }
    }

    /// Adds a part, or forgets all if they are too large.
    fileprivate mutating func retain(_ part: Part) {
      parts.append(part)
      switch part {
      case .fields: partCounts.blocks += 1
      case .content(let bytes): partCounts.content += bytes.count
      }
      if partCounts.content > HTTP2Streams.retainedLimit { forgetParts() }
    }

    fileprivate mutating func forgetParts() {
      parts = []
      partCounts = (0, 0)
    }

    /// Records a field block; `nil` if it could not be decoded.
    fileprivate mutating func note(_ fields: [HPACKDecoder.Field]?) {
      blockCount += 1
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

  /// Whether to keep the parts of responses until their transfers have received them.
  ///
  /// libcurl 7.88 loses what it has of a stream, and has not passed on, when it reads RST_STREAM.
  var retainsParts = false
  /// The number of bytes of content to keep of one stream, at most.
  static let retainedLimit = 1 << 18
  private var all: [Int: Stream] = [:]

  subscript(stream: Int) -> Stream? { all[stream] }

  /// The number of streams.
  var count: Int { all.count }

  /// Begins to record what the server sends on a stream, before it can have sent anything.
  mutating func follow(_ stream: Int) { all[stream] = Stream() }

  /// Forgets a stream that its transfer has left.
  mutating func forget(_ stream: Int) { all[stream] = nil }

  /// Forgets the parts of a stream if its transfer has received the head and so much content.
  mutating func forgetParts(of stream: Int, content: Int) {
    if all[stream]?.contentCount == content { all[stream]?.forgetParts() }
  }

  /// Records a field block; `nil` if it could not be decoded.
  mutating func note(_ fields: [HPACKDecoder.Field]?, on stream: Int) {
    all[stream]?.note(fields)
    if let fields { retain(.fields(fields), of: stream) }
  }

  /// Records content.
  mutating func note(_ content: UnsafeRawBufferPointer, on stream: Int) {
    all[stream]?.contentCount += content.count
    retain(.content(Array(content)), of: stream)
  }

  /// Records END_STREAM.
  mutating func noteEnd(of stream: Int) { all[stream]?.isEnded = true }

  /// Records RST_STREAM; the first counts.
  ///
  /// Go's server answers content that arrives after its reset with another.
  mutating func noteReset(of stream: Int, code: Int) {
    if all[stream]?.resetCode == nil { all[stream]?.resetCode = UInt32(truncatingIfNeeded: code) }
  }

  /// Keeps a part if parts are kept; content is copied only then.
  private mutating func retain(_ part: @autoclosure () -> Part, of stream: Int) {
    if retainsParts { all[stream]?.retain(part()) }
  }
}
