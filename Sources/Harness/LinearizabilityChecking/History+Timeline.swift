internal import ExplorationEngine

extension History {
  /// A drawing of the history with a row for each client and time from left to right.
  ///
  /// An operation is drawn as `[command → response───]` from its call to its return; a pending one
  /// has no right bracket. The order of the brackets is that of the stamps. Distances have no
  /// meaning.
  public var timeline: String { HistoryDrawing(bars: operations.map(\.bar)).text }
}

extension History.Operation {
  package var bar: HistoryDrawing.Bar {
    var label = "\(command)"
    if case .returned(let response, _) = outcome { label += " → \(response)" }
    return .init(row: "client \(client)", rank: client, label: label, start: call, end: end)
  }
}

/// A drawing of bars in named rows, with time from left to right.
package struct HistoryDrawing {
  package struct Bar {
    package var row: String
    /// The place of the row among the others.
    package var rank: Int
    package var label: String
    package var start: Int
    /// `nil` for a bar without an end.
    package var end: Int?

    package init(row: String, rank: Int, label: String, start: Int, end: Int?) {
      self.row = row
      self.rank = rank
      self.label = label
      self.start = start
      self.end = end
    }
  }

  private let bars: [Bar]

  package init(bars: [Bar]) { self.bars = bars }

  package var text: String {
    let stamps = Set(bars.map(\.start) + bars.compactMap(\.end)).sorted()
    let ranks = Dictionary(uniqueKeysWithValues: stamps.enumerated().map { ($1, $0) })
    // Intervals are closed: at equal stamps, the call is drawn before the return.
    let slots = bars.map { bar in
      (call: 2 * (ranks[bar.start] ?? 0), end: bar.end.map { 2 * (ranks[$0] ?? 0) + 1 })
    }
    let columns = columns(slots: slots, count: 2 * stamps.count)
    let width = (columns.last ?? 0) + (bars.map(\.label.count).max() ?? 0) + 2

    var rows: [(rank: Int, name: String, cells: [Character], end: Int)] = []
    let order = bars.indices.sorted {
      (bars[$0].rank, slots[$0].call) < (bars[$1].rank, slots[$1].call)
    }
    for index in order {
      let rank = bars[index].rank
      let start = columns[slots[index].call]
      let end = slots[index].end.map { columns[$0] } ?? width
      // A client with overlapping calls has several rows.
      var row = rows.firstIndex { $0.rank == rank && $0.end < start }
      if row == nil {
        let isFirst = rows.last?.rank != rank
        rows.append((rank, isFirst ? bars[index].row : "", [], -1))
        row = rows.count - 1
      }
      guard let row else { continue }
      rows[row].cells += Array(repeating: " ", count: start - rows[row].cells.count)
      rows[row].cells += "[" + bars[index].label
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

  /// The column of each slot, as far left as the labels allow.
  private func columns(slots: [(call: Int, end: Int?)], count: Int) -> [Int] {
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
        column = max(column, columns[slots[index].call] + bars[index].label.count + 1)
      }
      columns.append(max(column, 0))
    }
    return columns
  }
}

extension History: CustomStringConvertible {
  public var description: String { timeline }
}
