import CBrotli

/// Decodes br with libbrotlidec.
///
/// Source: RFC 7932.
final class BrotliDecoder: ContentDecoder {
  private let state = BrotliDecoderCreateInstance(nil, nil, nil)
  private var hasInput = false
  private var isAtEnd = false

  deinit {
    BrotliDecoderDestroyInstance(state)
  }

  var mayEnd: Bool { !hasInput || isAtEnd }

  func decode(_ input: ArraySlice<UInt8>) throws(DecodingFailure) -> DecodingStep {
    hasInput = hasInput || !input.isEmpty
    guard let state else { throw .outOfMemory }
    guard !isAtEnd else {
      throw .corrupt("bytes follow the end of the encoded content")
    }
    var result = BROTLI_DECODER_RESULT_ERROR
    var left = input.count
    let output = [UInt8](unsafeUninitializedCapacity: decodingStepSize) { output, count in
      var room = output.count
      var nextOut = output.baseAddress
      input.withUnsafeBufferPointer { input in
        var nextIn = input.baseAddress
        result = BrotliDecoderDecompressStream(state, &left, &nextIn, &room, &nextOut, nil)
      }
      count = output.count - room
    }
    switch result {
    case BROTLI_DECODER_RESULT_SUCCESS: isAtEnd = true
    case BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT, BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT: break
    default:
      let reason = BrotliDecoderErrorString(BrotliDecoderGetErrorCode(state))
      throw .corrupt(reason.map { String(cString: $0) } ?? "not a brotli stream")
    }
    return DecodingStep(
      consumed: input.count - left, output: output,
      hasMoreOutput: result == BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT)
  }
}
