import CSQLite
import CookiePort

/// A copy in memory of a damaged file, which shows one page of rows at a time as its cookie table.
///
/// The inner pages of a B-tree lead to its other pages, so damage of one hides many. This type shows
/// SQLite each page as if it was the whole table, so that SQLite reads its rows and checks their form.
/// Page 1, which has the schema, is that of a new store. Free pages are left out, because they have the
/// rows of deleted cookies.
///
/// Source: <https://www.sqlite.org/fileformat2.html>.
final class PageImage {
  /// A connection to the image.
  let connection: Connection

  /// The numbers of the pages that may have rows.
  let rowPages: [Int]

  /// The pages as they were, and as the connection sees them.
  private let original: [UInt8]
  private let bytes: UnsafeMutablePointer<UInt8>
  private let pageSize: Int

  /// The page of the cookie table's root in every store, because it is the first that a store creates.
  private static let root = 2

  /// The first byte of a page of a table without row ids.
  private enum PageType {
    static let inner: UInt8 = 2
    static let leaf: UInt8 = 10
  }

  /// Copies a file; nothing is copied if its list of free pages is damaged.
  init(of damaged: Connection) throws(CookieStoreError) {
    pageSize = Int(try damaged.integer("PRAGMA page_size"))
    var size: Int64 = 0
    guard let bytes = sqlite3_serialize(damaged.handle, "main", &size, 0) else {
      throw damaged.corrupt("the pages can't be copied")
    }
    self.bytes = bytes
    original = Array(UnsafeBufferPointer(start: bytes, count: Int(size)))
    let pages = Pages(bytes: original, size: pageSize)
    let free = pages.free
    rowPages = pages.numbers.filter {
      free?.contains($0) == false
        && [PageType.inner, PageType.leaf].contains(pages.byte(0, of: $0))
    }
    connection = try Connection(path: ":memory:", busyTimeout: .zero)
    try Self.copySchema(to: bytes, pageSize: pageSize, pages: pages.count)
    try connection.check(
      sqlite3_deserialize(
        connection.handle, "main", bytes, size, size, UInt32(SQLITE_DESERIALIZE_READONLY)))
    try connection.execute("PRAGMA cell_size_check = ON")
  }

  deinit {
    // SQLite must not read the image any more.
    sqlite3_deserialize(connection.handle, "main", nil, 0, 0, 0)
    sqlite3_free(bytes)
  }

  /// Replaces page 1 by that of a new store.
  private static func copySchema(
    to bytes: UnsafeMutablePointer<UInt8>, pageSize: Int, pages: Int
  ) throws(CookieStoreError) {
    let store = try Connection(path: ":memory:", busyTimeout: .zero)
    try store.execute("PRAGMA page_size = \(pageSize)")
    try Schema.current.migrate(store)
    guard let schema = sqlite3_serialize(store.handle, "main", nil, 0) else {
      throw store.corrupt("the schema can't be copied")
    }
    bytes.update(from: schema, count: pageSize)
    sqlite3_free(schema)
    // The number of pages, which is valid if the version for which it is so is the change counter's.
    for (index, shift) in [24, 16, 8, 0].enumerated() {
      bytes[28 + index] = UInt8(pages >> shift & 255)
    }
  }

  /// Shows a page as the cookie table.
  func show(_ page: Int) {
    let root = bytes + (Self.root - 1) * pageSize
    original.withUnsafeBufferPointer { original in
      guard let start = original.baseAddress else { return }
      root.update(from: start + (page - 1) * pageSize, count: pageSize)
    }
    if root[0] == PageType.inner { Self.makeLeaf(root, pageSize: pageSize) }
    // SQLite reads pages again if the change counter has changed.
    for counter in [24, 92] {
      var digit = counter + 3
      while bytes[digit] == .max, digit > counter {
        bytes[digit] = 0
        digit -= 1
      }
      bytes[digit] &+= 1
    }
  }

  /// Turns an inner page into a leaf page with the same rows.
  ///
  /// Its header is four bytes longer, and so is each cell, which begins with the number of a page.
  private static func makeLeaf(_ page: UnsafeMutablePointer<UInt8>, pageSize: Int) {
    page[0] = PageType.leaf
    let cells = Int(page[3]) << 8 | Int(page[4])
    for index in 0..<min(cells, (pageSize - 12) / 2) {
      let pointer = Int(page[12 + 2 * index]) << 8 | Int(page[13 + 2 * index])
      let moved = min(pointer + 4, 0xFFFF)
      page[8 + 2 * index] = UInt8(moved >> 8)
      page[9 + 2 * index] = UInt8(moved & 255)
    }
  }
}

/// The pages of a file, numbered from 1.
private struct Pages {
  var bytes: [UInt8]
  var size: Int

  var count: Int { bytes.count / size }

  /// The numbers of all pages but the first.
  var numbers: Range<Int> { 2..<max(2, count + 1) }

  func byte(_ offset: Int, of page: Int) -> UInt8 { bytes[(page - 1) * size + offset] }

  /// The number of four bytes at an offset in a page.
  private func number(_ offset: Int, of page: Int) -> Int {
    (0..<4).reduce(0) { $0 << 8 | Int(byte(offset + $1, of: page)) }
  }

  /// The numbers of the free pages, or `nil` if their list is damaged.
  ///
  /// The header has the number of the first trunk page and of all free pages. A trunk page has the
  /// number of the next one, a count, and the numbers of as many other free pages.
  var free: Set<Int>? {
    guard count > 0 else { return nil }
    var found: Set<Int> = []
    var trunk = number(32, of: 1)
    while trunk != 0 {
      guard numbers.contains(trunk), found.insert(trunk).inserted else { return nil }
      let leaves = number(4, of: trunk)
      guard leaves <= size / 4 - 2 else { return nil }
      for index in 0..<leaves {
        let leaf = number(8 + 4 * index, of: trunk)
        guard numbers.contains(leaf), found.insert(leaf).inserted else { return nil }
      }
      trunk = number(0, of: trunk)
    }
    return found.count == number(36, of: 1) ? found : nil
  }
}
