import TransportPort

/// Request content as a sequence of chunks, each made when the transport asks for it.
struct Chunks: AsyncSequence, Sendable {
  /// Makes the chunk with an index counted from 0; `nil` ends the content.
  let chunk: @Sendable (_ index: Int) async throws -> [UInt8]?

  init(_ chunk: @escaping @Sendable (_ index: Int) async throws -> [UInt8]?) {
    self.chunk = chunk
  }

  /// Creates content with one chunk for each text.
  init(_ texts: String...) {
    self.init { $0 < texts.count ? Array(texts[$0].utf8) : nil }
  }

  func makeAsyncIterator() -> Iterator { Iterator(chunk: chunk) }

  struct Iterator: AsyncIteratorProtocol {
    let chunk: @Sendable (Int) async throws -> [UInt8]?
    var index = 0

    mutating func next() async throws -> [UInt8]? {
      defer { index += 1 }
      return try await chunk(index)
    }
  }
}

/// Waits until the task is cancelled, and then throws `CancellationError`.
func waitForCancellation() async throws {
  try await Task.sleep(for: .seconds(3600))
}
