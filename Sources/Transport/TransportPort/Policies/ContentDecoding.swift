/// The decoding of one body, through all its encodings, pulled chunk by chunk.
actor ContentDecoding {
  /// One encoding being undone.
  private struct Stage {
    let decoder: any ContentDecoder
    var input: [UInt8] = []
    var inputStart = 0
    var hasMoreOutput = false
    var count = 0
  }

  private let source: HTTPResponseBody
  private let policy: DecodingPolicy
  private let method: HTTPRequest.Method
  private var stages: [Stage]
  private var encodedCount = 0

  /// Decoding of a body; the encodings are in the order in which they are to be undone.
  init(
    of source: HTTPResponseBody, encodings: [ContentEncoding], policy: DecodingPolicy,
    method: HTTPRequest.Method
  ) {
    self.source = source
    self.policy = policy
    self.method = method
    self.stages = encodings.map { Stage(decoder: $0.makeDecoder()) }
  }

  /// The next part of the decoded body.
  func next() async throws(TransportError) -> HTTPResponseBody.Part {
    do throws(TransportError) {
      guard let bytes = try await pull(stages.count - 1) else {
        return .end(trailers: source.trailerFields ?? [:])
      }
      return .bytes(bytes)
    } catch {
      source.cancel()
      throw error
    }
  }

  /// The next bytes out of a stage, or out of the source below the first.
  private func pull(_ index: Int) async throws(TransportError) -> [UInt8]? {
    guard index >= 0 else {
      var iterator = source.makeAsyncIterator()
      let chunk = try await iterator.next()
      encodedCount += chunk?.count ?? 0
      return chunk
    }
    while true {
      if stages[index].hasMoreOutput || stages[index].inputStart < stages[index].input.count {
        let output = try decode(index)
        if !output.isEmpty { return output }
      } else if let chunk = try await pull(index - 1) {
        stages[index].input = chunk
        stages[index].inputStart = 0
      } else {
        guard stages[index].decoder.mayEnd else {
          throw failure(.truncatedEncoding, "the encoded content ends early")
        }
        return nil
      }
    }
  }

  private func decode(_ index: Int) throws(TransportError) -> [UInt8] {
    let stage = stages[index]
    let step: DecodingStep
    do throws(DecodingFailure) {
      step = try stage.decoder.decode(stage.input[stage.inputStart...])
    } catch {
      switch error {
      case .corrupt(let detail): throw failure(.corruptEncoding, detail)
      case .outOfMemory: throw failure(.other, "the decoder has no memory")
      }
    }
    stages[index].inputStart += step.consumed
    stages[index].hasMoreOutput = step.hasMoreOutput
    stages[index].count += step.output.count
    let count = stages[index].count
    if let most = policy.maximumBytes, count > most {
      throw failure(.decompressionBomb, "the content decodes to more than \(most) bytes")
    }
    if let ratio = policy.maximumRatio, count > 1 << 20, count / max(1, ratio) > encodedCount {
      throw failure(
        .decompressionBomb,
        "\(encodedCount) bytes decode to more than \(count), beyond \(ratio) for each")
    }
    return step.output
  }

  private func failure(_ kind: TransportError.Kind, _ detail: String) -> TransportError {
    TransportError(kind, phase: .decoding, method: method, bytesSent: true, detail: detail)
  }
}

/// The content encodings that can be undone (RFC 9110 §8.4.1, RFC 7932).
enum ContentEncoding: Sendable {
  case gzip
  case deflate
  case brotli

  /// An encoding by its name in a field, in lower case.
  init?(name: String) {
    switch name {
    case "gzip", "x-gzip": self = .gzip
    case "deflate": self = .deflate
    case "br": self = .brotli
    default: return nil
    }
  }

  /// A decoder at the beginning of a body.
  func makeDecoder() -> any ContentDecoder {
    switch self {
    case .gzip: ZlibDecoder(format: .gzip)
    case .deflate: ZlibDecoder(format: .deflate)
    case .brotli: BrotliDecoder()
    }
  }
}

/// Undoes one encoding; used by one task at a time.
protocol ContentDecoder: AnyObject {
  /// Whether the encoded content may end here: at its end, or before its first byte.
  var mayEnd: Bool { get }

  /// Takes some input and gives at most 64 KiB of output.
  func decode(_ input: ArraySlice<UInt8>) throws(DecodingFailure) -> DecodingStep
}

/// What one call of a decoder did.
struct DecodingStep {
  /// How many bytes of the input are done with.
  var consumed: Int
  /// What came of them.
  var output: [UInt8]
  /// Whether more output waits without more input.
  var hasMoreOutput: Bool
}

/// Why a decoder gave up.
enum DecodingFailure: Error {
  case corrupt(String)
  case outOfMemory
}

/// The most bytes that a decoder gives at once.
let decodingStepSize = 65_536
