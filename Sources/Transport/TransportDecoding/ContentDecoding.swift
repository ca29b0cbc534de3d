import TransportPort

/// Decodes one body through all its encodings, chunk by chunk as the reader asks for it.
actor ContentDecoding {
  /// One decoder with its input; the output of a stage is the input of the next.
  private struct Stage {
    let decoder: any ContentDecoder
    var input: ArraySlice<UInt8> = []
    var hasMoreOutput = false
    var consumed = 0
    var count = 0
  }

  private let source: HTTPResponseBody
  private let policy: DecodingPolicy
  private let method: HTTPRequest.Method
  private var stages: [Stage]
  private var encodedCount = 0

  /// Creates a decoding pipeline.
  ///
  /// - Parameter encodings: The encodings in decoding order: the last one applied comes first.
  init(
    of source: HTTPResponseBody, encodings: [ContentEncoding], policy: DecodingPolicy,
    method: HTTPRequest.Method
  ) {
    self.source = source
    self.policy = policy
    self.method = method
    self.stages = encodings.map { Stage(decoder: $0.makeDecoder()) }
  }

  /// Returns the next part of the decoded body. An error cancels the source.
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

  /// Returns the next output of a stage; index -1 is the source.
  ///
  /// A stage pulls input only after its pending output is drained, so that a decompression bomb
  /// never holds more than one step of output per stage.
  private func pull(_ index: Int) async throws(TransportError) -> [UInt8]? {
    guard index >= 0 else {
      var iterator = source.makeAsyncIterator()
      guard let chunk = try await iterator.next() else { return nil }
      encodedCount += chunk.count
      return chunk
    }
    while true {
      if stages[index].hasMoreOutput || !stages[index].input.isEmpty {
        let output = try decode(index)
        if !output.isEmpty { return output }
      } else if let chunk = try await pull(index - 1) {
        stages[index].input = chunk[...]
      } else {
        guard stages[index].decoder.mayEnd else {
          throw failure(.truncatedEncoding, "the content ended before its encoding was complete")
        }
        return nil
      }
    }
  }

  private func decode(_ index: Int) throws(TransportError) -> [UInt8] {
    let stage = stages[index]
    let step: DecodingStep
    do throws(DecodingFailure) {
      step = try stage.decoder.decode(stage.input)
    } catch {
      switch error {
      case .corrupt(let detail): throw failure(.corruptEncoding, detail)
      case .outOfMemory: throw failure(.other, "the decoder is out of memory")
      }
    }
    stages[index].input.removeFirst(step.consumed)
    stages[index].consumed += step.consumed
    stages[index].hasMoreOutput = step.hasMoreOutput
    stages[index].count += step.output.count
    let count = stages[index].count
    if let most = policy.maximumBytes, count > most {
      throw failure(
        .decompressionBomb,
        "the content decodes to more than \(most) bytes; raise maximumBytes to allow it")
    }
    if let ratio = policy.maximumRatio, count > 1 << 20, count / max(1, ratio) > encodedCount {
      throw failure(
        .decompressionBomb,
        "\(encodedCount) bytes decode to at least \(count), more than \(ratio) times as many")
    }
    let consumed = stages[index].consumed
    if let most = policy.maximumOverhead, consumed > 1 << 20, consumed / max(1, most) > count {
      throw failure(
        .decompressionBomb,
        "\(consumed) encoded bytes decode to only \(count); raise maximumOverhead to allow it")
    }
    return step.output
  }

  private func failure(_ kind: TransportError.Kind, _ detail: String) -> TransportError {
    TransportError(kind, phase: .decoding, method: method, bytesSent: true, detail: detail)
  }
}

/// The content encodings with a decoder (RFC 9110 §8.4.1, RFC 7932).
enum ContentEncoding: Sendable {
  case gzip
  case deflate
  case brotli

  /// Creates an encoding from its name in a Content-Encoding field, in lower case.
  init?(name: String) {
    switch name {
    case "gzip", "x-gzip": self = .gzip
    case "deflate": self = .deflate
    case "br": self = .brotli
    default: return nil
    }
  }

  /// Creates a decoder for one body.
  func makeDecoder() -> any ContentDecoder {
    switch self {
    case .gzip: ZlibDecoder(format: .gzip)
    case .deflate: ZlibDecoder(format: .deflate)
    case .brotli: BrotliDecoder()
    }
  }
}

/// Decodes one encoding of one body. Not thread-safe; `ContentDecoding` serializes the calls.
protocol ContentDecoder: AnyObject {
  /// Whether the encoded content is complete, or has not begun: an empty body is empty content.
  var mayEnd: Bool { get }

  /// Consumes input, which is empty only if the last step had more output, and returns at most ``decodingStepSize`` bytes of output.
  func decode(_ input: ArraySlice<UInt8>) throws(DecodingFailure) -> DecodingStep
}

/// The result of one call of a decoder.
struct DecodingStep {
  /// The number of input bytes consumed.
  var consumed: Int
  /// The decoded bytes, possibly empty.
  var output: [UInt8]
  /// Whether the decoder can produce more output without more input.
  var hasMoreOutput: Bool
}

/// The reason why a decoder failed.
enum DecodingFailure: Error {
  case corrupt(String)
  case outOfMemory
}

/// The maximum output of one decoding step in bytes.
let decodingStepSize = 65_536
