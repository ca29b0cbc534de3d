/// A FIFO queue of content chunks between an adapter and the reader of a body.
///
/// The first chunk is stored outside the array, because most bodies are a single chunk and should
/// not allocate an array for it.
package struct ChunkQueue: Sendable {
  private var first: [UInt8] = []
  private var rest: [[UInt8]] = []
  private var nextOfRest = 0

  package init() {}

  /// Whether the queue has no chunk.
  package var isEmpty: Bool { first.isEmpty }

  /// Appends content, to the last chunk if that has unused capacity.
  ///
  /// Otherwise a server that sends single bytes would make the queue hold far more memory than
  /// content.
  package mutating func append(_ bytes: [UInt8]) {
    if first.isEmpty {
      first = bytes
    } else if rest.isEmpty {
      if first.hasRoom(for: bytes) { first += bytes } else { rest.append(bytes) }
    } else if rest[rest.count - 1].hasRoom(for: bytes) {
      rest[rest.count - 1] += bytes
    } else {
      rest.append(bytes)
    }
  }

  /// Removes and returns the first chunk, or an empty array if there is none.
  package mutating func popFirst() -> [UInt8] {
    var chunk: [UInt8] = []
    swap(&chunk, &first)
    guard nextOfRest < rest.count else { return chunk }
    swap(&first, &rest[nextOfRest])
    nextOfRest += 1
    if nextOfRest == rest.count {
      rest.removeAll(keepingCapacity: true)
      nextOfRest = 0
    }
    return chunk
  }
}

extension [UInt8] {
  fileprivate func hasRoom(for bytes: [UInt8]) -> Bool { capacity - count >= bytes.count }
}
