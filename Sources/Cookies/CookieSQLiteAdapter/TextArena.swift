/// Memory for the texts that one operation binds, because SQLite allocates for each text it copies.
final class TextArena {
  private let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
  private var count = 0

  // not mutated: a full arena costs only a copy
  private static var capacity: Int { 16_384 }

  deinit { bytes.deallocate() }

  /// Frees the memory for the next operation; statements with texts bound before must not be
  /// stepped.
  func removeAll() { count = 0 }

  /// Binds a text that stays valid until ``removeAll()``; SQLite copies it if the arena is full.
  @inline(__always)
  func bind(_ text: String, to statement: Statement, _ index: Int32) {
    let isBound = text.utf8.withContiguousStorageIfAvailable { text in
      let room = Self.capacity - count
      guard text.count <= room else { return false }
      let copy = bytes + count
      if let start = text.baseAddress { copy.update(from: start, count: text.count) }
      statement.bind(index, borrowed: UnsafeBufferPointer(start: copy, count: text.count))
      count += text.count
      return true
    }
    if isBound != true { statement.bind(index, text) }
  }
}
