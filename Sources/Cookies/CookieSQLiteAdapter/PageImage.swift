import CSQLite
import CookiePort

/// A copy in memory of a damaged file, which shows one cell of a page at a time as its cookie table.
///
/// The inner pages of a B-tree lead to its other pages, so damage of one hides many; and behind a damaged
/// cell SQLite finds no others. This type shows SQLite each cell as if it was the whole table, so that
/// SQLite reads its row and checks its form. Page 1, which has the schema, is that of an empty table. Free
/// pages are left out, because they have the rows of deleted cookies.
///
/// Source: <https://www.sqlite.org/fileformat2.html>.
final class PageImage {
  /// A connection to the image.
  let connection: Connection

  /// A row, or an entry of the index: its page, and its offset there.
  struct Cell {
    fileprivate var page: Int
    fileprivate var offset: Int
  }

  /// Every cell of the pages that may have rows, by page and in the order of the keys.
  private(set) var cells: [Cell] = []

  /// The pages as they were.
  private let original: Pages

  /// The pages as the connection sees them; SQLite frees them.
  private let bytes: UnsafeMutablePointer<UInt8>

  /// The page of the cookie table's root in every store, because it is the first that a store creates.
  private static let root = 2

  /// Copies a file; no cell is found if its list of free pages is damaged.
  init(of damaged: Connection) throws(CookieStoreError) {
    original = try Pages(of: damaged)
    let empty = try Connection.inMemory()
    try empty.execute("PRAGMA page_size = \(original.size)")
    // Without its constraints the table fits on page 1 whatever the size of the pages.
    try empty.execute(Schema.cookieTable.replacing(" NOT NULL", with: ""))
    let schema = try Pages(of: empty)
    if let free = original.free {
      let pages = original
      cells = pages.numbers.filter { !free.contains($0) }.flatMap { page in
        pages.cells(of: page).map { Cell(page: page, offset: $0) }
      }
    }
    // A shortened file may lack the page that the schema names.
    let size = max(original.bytes.count, schema.bytes.count)
    guard let memory = sqlite3_malloc64(UInt64(size)) else {
      throw damaged.corrupt("the pages can't be copied")
    }
    bytes = memory.assumingMemoryBound(to: UInt8.self)
    bytes.update(from: original.bytes, count: original.bytes.count)
    bytes.update(from: schema.bytes, count: original.size)
    // Unless this counter is the one that ``show(_:)`` changes, SQLite takes the number of pages from the
    // size instead of the header, which has that of the empty table.
    bytes[92] = ~bytes[24]  // not mutated: any difference between the two does
    connection = try Connection.inMemory()
    try connection.check(
      sqlite3_deserialize(
        connection.handle, "main", bytes, Int64(size), Int64(size),
        // not mutated: shows only in the use of memory, and the image is never written
        UInt32(SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_READONLY)))
    // not mutated: SQLite finds the damage of the clauses either way
    try connection.execute("PRAGMA cell_size_check = ON")
  }

  /// Shows a cell as the cookie table: a leaf page with this cell alone.
  func show(_ cell: Cell) {
    let root = bytes + (Self.root - 1) * original.size
    original.bytes.withUnsafeBufferPointer { all in
      guard let start = all.baseAddress else { return }
      root.update(from: start + (cell.page - 1) * original.size, count: original.size)
    }
    // The type, the number of cells, and the offset of the only one.
    root[0] = Pages.leaf
    (root[3], root[4]) = (0, 1)
    root[8] = UInt8(truncatingIfNeeded: cell.offset >> 8)
    root[9] = UInt8(truncatingIfNeeded: cell.offset)
    // SQLite reads pages again if the change counter differs from that of the last time.
    bytes[24] ^= 1  // not mutated: any difference does
  }
}

/// The pages of a file, numbered from 1.
private struct Pages {
  var bytes: [UInt8]
  var size: Int

  /// The first byte of a page of a table without row ids, or of an index.
  static let leaf: UInt8 = 10
  static let inner: UInt8 = 2

  /// Copies the pages of a database.
  init(of connection: Connection) throws(CookieStoreError) {
    size = Int(try connection.integer("PRAGMA page_size"))
    var count: Int64 = -1
    guard let copy = sqlite3_serialize(connection.handle, "main", &count, 0) else {
      throw connection.corrupt("the pages can't be copied")
    }
    defer { sqlite3_free(copy) }  // not mutated: shows only in the use of memory
    guard count >= size else { throw connection.corrupt("it has no pages") }
    bytes = Array(UnsafeBufferPointer(start: copy, count: Int(count)))
  }

  var numbers: ClosedRange<Int> { 1...bytes.count / size }

  /// The number of so many bytes at an offset in a page.
  private func number(_ offset: Int, of page: Int, bytes count: Int = 4) -> Int {
    (0..<count).reduce(0) { $0 << 8 | Int(bytes[(page - 1) * size + offset + $1]) }
  }

  /// The offsets of a page's cells, as a leaf page would have them; none if it has no rows.
  ///
  /// A cell of an inner page begins with the number of another page, and its header has one more too.
  func cells(of page: Int) -> [Int] {
    let header: Int
    switch bytes[(page - 1) * size] {
    case Self.leaf: header = 8
    case Self.inner: header = 12
    default: return []
    }
    return stride(from: header, to: size, by: 2).prefix(number(3, of: page, bytes: 2))
      .map { number($0, of: page, bytes: 2) + header - 8 }
  }

  /// The numbers of the free pages, or `nil` if their list is damaged.
  ///
  /// The header has the number of the first trunk page and of all free pages. A trunk page has the
  /// number of the next one, a count, and the numbers of as many other free pages.
  var free: Set<Int>? {
    var found: Set<Int> = []
    var trunk = number(32, of: 1)
    while trunk != 0 {
      guard numbers.contains(trunk), found.insert(trunk).inserted else { return nil }
      for offset in stride(from: 8, to: size, by: 4).prefix(number(4, of: trunk)) {
        let leaf = number(offset, of: trunk)
        guard numbers.contains(leaf), found.insert(leaf).inserted else { return nil }
      }
      trunk = number(0, of: trunk)
    }
    return found.count == number(36, of: 1) ? found : nil
  }
}
