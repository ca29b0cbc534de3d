import SystemLocks
import TransportPort

/// Content that is given chunk by chunk, each when it is asked for.
struct Chunks: AsyncSequence, Sendable {
  /// The chunk at a place, counted from 0; `nil` ends the content.
  let chunk: @Sendable (_ place: Int) async throws -> [UInt8]?

  init(_ chunk: @escaping @Sendable (_ place: Int) async throws -> [UInt8]?) {
    self.chunk = chunk
  }

  /// These texts, one chunk each.
  init(_ texts: String...) {
    self.init { $0 < texts.count ? Array(texts[$0].utf8) : nil }
  }

  func makeAsyncIterator() -> Iterator { Iterator(chunk: chunk) }

  struct Iterator: AsyncIteratorProtocol {
    let chunk: @Sendable (Int) async throws -> [UInt8]?
    var place = 0

    mutating func next() async throws -> [UInt8]? {
      defer { place += 1 }
      return try await chunk(place)
    }
  }
}

/// Waits until the task is cancelled, and then throws.
func waitForCancellation() async throws {
  try await Task.sleep(for: .seconds(3600))
}
