import CookiePort

/// Reads what SQLite still reads of the tables in a file whose pages may be damaged.
///
/// A scan ends at the first damaged page, so a second one begins at the other end. Rows between two damaged
/// pages are missing.
struct RowRecovery {
  /// The sound rows, in the order in which they were found.
  private var sound: [CookieRow] = []

  /// The rows that are not valid cookies, in the order in which they were found.
  private(set) var dropped: [CookieSalvage.DroppedRow] = []

  /// The tally, if it could be read.
  private(set) var tally: Tally?

  /// Whether a page or the schema couldn't be read.
  private(set) var metDamage = false

  /// The primary keys of all rows found, whose texts may be any bytes.
  private var keys: Set<[[UInt8]]> = []

  /// Reads every row within reach.
  init(_ connection: Connection) {
    let tally = try? connection.row("SELECT \(Tally.columns) FROM tally") { Tally($0) }
    self.tally = (tally ?? nil) ?? nil
    scan(connection, "")
    // not mutated (dropped-condition): a second scan of sound rows finds the same ones.
    if metDamage {
      scan(connection, " ORDER BY domain DESC, path DESC, name DESC, host_only DESC")
    }
  }

  /// The sound rows, in the order of the store.
  var rows: [CookieRow] { sound.sorted { $0.precedes($1) } }

  /// Adds the rows of the cookie table up to damage, and notes whether it met any.
  private mutating func scan(_ connection: Connection, _ order: String) {
    let statement = try? connection.prepare("SELECT \(CookieRow.columns()) FROM cookie" + order)
    while let statement, let hasRow = try? connection.hasRow(statement) {
      guard hasRow else { return }
      // not mutated (number): more columns tell the same rows apart.
      guard keys.insert((0...3).map(statement.bytes)).inserted else { continue }
      if let row = CookieRow(statement), row.isProducible {
        sound.append(row)
      } else {
        dropped.append(CookieSalvage.DroppedRow(statement))
      }
    }
    metDamage = true
  }
}
