import CookiePort

/// Reads what is left of the tables in a file whose pages may be damaged.
///
/// If a scan of the cookie table meets damage, each row is read alone; see ``PageImage``.
struct RowRecovery {
  /// The sound rows.
  private(set) var rows: [Cookie.ID: CookieRow] = [:]

  /// The rows that are no valid cookies, in the order in which they were found.
  private(set) var dropped: [CookieSalvage.DroppedRow] = []

  /// The tally, if it could be read.
  private(set) var tally: Tally?

  /// Whether a page or the schema couldn't be read.
  private(set) var metDamage = false  // not mutated: the initializer sets it

  /// The primary keys of all rows found, whose texts may be any bytes.
  private var keys: Set<[[UInt8]]> = []

  /// Reads every row within reach.
  init(_ connection: Connection) {
    let tally = try? connection.row("SELECT \(Tally.columns) FROM tally") { Tally($0) }
    self.tally = (tally ?? nil) ?? nil
    metDamage = !scan(connection, try? connection.prepare(Self.select))
    guard metDamage, let image = try? PageImage(of: connection) else { return }
    let statement = try? image.connection.prepare(Self.select)
    for cell in image.cells {
      image.show(cell)
      scan(image.connection, statement)
    }
  }

  private static let select = "SELECT \(CookieRow.columns) FROM cookie"

  /// Adds the rows of a statement up to damage.
  ///
  /// - Returns: Whether the scan reached the end.
  @discardableResult
  private mutating func scan(_ connection: Connection, _ statement: Statement?) -> Bool {
    guard let statement else { return false }
    while let hasRow = try? connection.hasRow(statement) {
      guard hasRow else { return true }
      // An entry of the index, which has only the columns of the key.
      if (4...11).allSatisfy(statement.isNull) { continue }
      guard keys.insert((0...3).map(statement.bytes)).inserted else { continue }
      if let row = CookieRow(statement), row.isProducible {
        rows[row.cookie.id] = row
      } else {
        dropped.append(CookieSalvage.DroppedRow(statement))
      }
    }
    return false
  }
}
