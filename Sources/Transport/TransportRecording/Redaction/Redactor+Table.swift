extension Redactor {
  /// A cell of a table.
  private struct Cell {
    var range: Range<Int>
    var text: [UInt8]
    var isQuoted = false
  }

  /// Replaces the cells of a table by the names in its first row; `nil` if none of these names says that of a secret.
  ///
  /// Source: RFC 4180, and the IANA's registration of text/tab-separated-values.
  mutating func table(
    _ bytes: [UInt8], separator: UInt8, _ context: Context
  ) -> [UInt8]? {
    guard reads(.table) else { return nil }
    let rows = Self.rows(bytes, separator)
    let names = (rows.first ?? []).map { String(decoding: $0.text, as: UTF8.self) }
    guard names.contains(where: { isNamed($0) || [.secret, .possible].contains(kind(of: $0)) })
    else { return nil }
    var replacements: [Replacement] = []
    for (number, row) in rows.enumerated() {
      for (column, cell) in row.enumerated() {
        // The first row may be one of values, and a row may be longer.
        let name = number > 0 && column < names.count ? names[column] : ""
        let redacted = at("row \(number), column \(column)") {
          $0.value(cell.text, named: name, context.inner)
        }
        guard redacted != cell.text else { continue }
        let quoted = cell.isQuoted ? [0x22] + redacted.doublingQuotes + [0x22] : redacted
        replacements.append(Replacement(range: cell.range, bytes: quoted))
      }
    }
    return bytes.replacing(replacements)
  }

  /// The separator of a table: its first line has names only, and the next has as many cells; `nil` for
  /// another text.
  ///
  /// A table inside something else has no media type.
  static func separator(of bytes: [UInt8]) -> UInt8? {
    guard let end = bytes.prefix(1024).firstIndex(of: 0x0A) else { return nil }
    let first = bytes[..<end]
    let isName: (UInt8) -> Bool = { $0.isWordByte || [0x20, 0x22, 0x2D, 0x2E, 0x0D].contains($0) }
    for separator in [UInt8(ascii: ","), 0x09]
    where first.contains(separator) && first.allSatisfy({ isName($0) || $0 == separator }) {
      let rows = rows(Array(bytes.prefix(end + 4096)), separator)
      if rows.count > 1, rows[0].count == rows[1].count { return separator }
    }
    return nil
  }

  private static func rows(_ bytes: [UInt8], _ separator: UInt8) -> [[Cell]] {
    var rows: [[Cell]] = []
    var row: [Cell] = []
    var index = 0
    while index < bytes.count {
      let start = index
      var text: [UInt8] = []
      let isQuoted = bytes[index] == 0x22
      if isQuoted { index += 1 }
      var isOpen = isQuoted
      while index < bytes.count {
        let byte = bytes[index]
        if isOpen, byte == 0x22 {
          isOpen = index + 1 < bytes.count && bytes[index + 1] == 0x22
          if isOpen { text.append(byte) }
          index += isOpen ? 2 : 1
          continue
        }
        if !isOpen, byte == separator || byte == 0x0A || byte == 0x0D { break }
        text.append(byte)
        index += 1
      }
      row.append(Cell(range: start..<index, text: text, isQuoted: isQuoted))
      guard index < bytes.count, bytes[index] == separator else {
        rows.append(row)
        row = []
        while index < bytes.count, bytes[index] == 0x0A || bytes[index] == 0x0D { index += 1 }
        continue
      }
      index += 1
    }
    if !row.isEmpty { rows.append(row) }
    return rows
  }
}

extension [UInt8] {
  fileprivate var doublingQuotes: [UInt8] { flatMap { $0 == 0x22 ? [$0, $0] : [$0] } }
}
