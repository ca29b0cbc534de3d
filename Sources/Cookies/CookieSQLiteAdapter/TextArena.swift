/// Memory for the texts that one operation binds: SQLite's own copies cost an allocation each.
final class TextArena {
  private let octets = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
  private var count = 0

  private static var capacity: Int { 16_384 }

  deinit { octets.deallocate() }

  /// Makes room. Texts bound before may not be stepped over any more.
  func removeAll() { count = 0 }

  /// Binds a text, which stays bound until ``removeAll()``; SQLite copies what finds no room.
  @inline(__always)
  func bind(_ text: String, to statement: Statement, _ index: Int32) {
    let isBound = text.utf8.withContiguousStorageIfAvailable { text in
      guard text.count <= Self.capacity - count else { return false }
      let place = octets + count
      if let start = text.baseAddress { place.update(from: start, count: text.count) }
      statement.bind(index, borrowed: UnsafeBufferPointer(start: place, count: text.count))
      count += text.count
      return true
    }
    if isBound != true { statement.bind(index, text) }
  }
}
