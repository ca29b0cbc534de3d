/// Chunks of content in order, on their way from an adapter to the reader.
///
/// A single chunk, as most contents are, takes no memory but its own.
package struct ChunkQueue: Sendable {
  private var first: [UInt8] = []
  private var rest: [[UInt8]] = []
  private var nextOfRest = 0

  package init() {}

  /// Whether there is no chunk.
  package var isEmpty: Bool { first.isEmpty }

  /// Adds content: to the last chunk where that has room, since many small chunks would hold far
  /// more memory than their bytes.
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

  /// Takes the chunk that is next; an empty one where there is none.
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
