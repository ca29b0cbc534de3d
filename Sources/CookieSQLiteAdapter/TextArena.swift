import Foundation

/// Memory for the texts that one operation binds: SQLite's own copies cost an allocation each.
final class TextArena {
  private let octets = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 16_384)
  private var count = 0

  deinit { octets.deallocate() }

  /// Makes room. Texts bound before may not be stepped over any more.
  func removeAll() { count = 0 }

  /// Binds a text, which stays bound until ``removeAll()``; SQLite copies what finds no room.
  func bind(_ text: String, to statement: Statement, _ index: Int32) {
    let isBound = text.utf8.withContiguousStorageIfAvailable { text in
      guard text.count <= octets.count - count else { return false }
      let place = octets.extracting(count..<count + text.count)
      _ = place.initialize(fromContentsOf: text)
      statement.bind(index, borrowed: UnsafeBufferPointer(place))
      count += text.count
      return true
    }
    if isBound != true { statement.bind(index, text) }
  }
}
