extension History {
  /// A drawing of the history with a row for each client and time from left to right.
  ///
  /// An operation is drawn as `[command → response───]` from its call to its return; a pending one
  /// has no right bracket. The order of the brackets is that of the stamps. Distances have no
  /// meaning.
  public var timeline: String {
    let stamps = Set(operations.map(\.call) + operations.compactMap(\.end)).sorted()
    let ranks = Dictionary(uniqueKeysWithValues: stamps.enumerated().map { ($1, $0) })
    // Intervals are closed: at equal stamps, the call is drawn before the return.
    let slots = operations.map { operation in
      (
        call: 2 * (ranks[operation.call] ?? 0),
        end: operation.end.map { 2 * (ranks[$0] ?? 0) + 1 }
      )
    }
    let labels = operations.map(Self.label)
    let columns = Self.columns(slots: slots, labels: labels, count: 2 * stamps.count)
    let width = (columns.last ?? 0) + (labels.map(\.count).max() ?? 0) + 2

    var rows: [(client: Int, name: String, cells: [Character], end: Int)] = []
    let order = operations.indices.sorted {
      (operations[$0].client, slots[$0].call) < (operations[$1].client, slots[$1].call)
    }
    for index in order {
      let client = operations[index].client
      let start = columns[slots[index].call]
      let end = slots[index].end.map { columns[$0] } ?? width
      // A client with overlapping calls has several rows.
      var row = rows.firstIndex { $0.client == client && $0.end < start }
      if row == nil {
        let isFirst = rows.last?.client != client
        rows.append((client, isFirst ? "client \(client)" : "", [], -1))
        row = rows.count - 1
      }
      guard let row else { continue }
      rows[row].cells += Array(repeating: " ", count: start - rows[row].cells.count)
      rows[row].cells += "[" + labels[index]
      let rest = end - rows[row].cells.count
      if slots[index].end != nil {
        rows[row].cells += Array(repeating: "─", count: max(rest, 0)) + "]"
      } else {
        rows[row].cells += " ┄┄┄"
      }
      rows[row].end = end
    }
    let margin = rows.map(\.name.count).max() ?? 0
    return rows.map { row in
      row.name + String(repeating: " ", count: margin - row.name.count) + "  " + String(row.cells)
    }
    .joined(separator: "\n")
  }

  private static func label(_ operation: Operation) -> String {
    if case .returned(let response, _) = operation.outcome {
      return "\(operation.command) → \(response)"
    }
    return "\(operation.command)"
  }

  /// The column of each slot, as far left as the labels allow.
  private static func columns(
    slots: [(call: Int, end: Int?)], labels: [String], count: Int
  ) -> [Int] {
    var ends: [Int: [Int]] = [:]
    for (index, slot) in slots.enumerated() {
      if let end = slot.end { ends[end, default: []].append(index) }
    }
    let used = Set(slots.map(\.call)).union(ends.keys)
    var columns: [Int] = []
    for slot in 0..<count {
      // One space after a right bracket.
      let isAfterEnd = slot > 0 && ends[slot - 1] != nil
      var column = (columns.last ?? -1) + (used.contains(slot) ? 1 : 0) + (isAfterEnd ? 1 : 0)
      for index in ends[slot] ?? [] {
        column = max(column, columns[slots[index].call] + labels[index].count + 1)
      }
      columns.append(max(column, 0))
    }
    return columns
  }
}

extension History: CustomStringConvertible {
  public var description: String { timeline }
}
