internal import LinearizabilityChecking

/// The calls of a run, and the faults that happened meanwhile, with stamps of one clock.
struct FaultHistory<Command: Sendable, Response: Sendable>: Sendable {
  /// A fault that struck or was healed.
  struct Mark: Sendable {
    var name: String
    var isHealing = false
    /// Whether the fault lasts until it is healed.
    var lasts = false
    /// The stamp immediately before.
    var start: Int
    /// The stamp immediately after; `nil` if it did not end.
    var end: Int?
  }

  var calls = History<Command, Response>(checked: [])
  var faults: [Mark] = []
  /// The positions of the steps of a program, by the stamps at which they began.
  var positions: [Int: Int] = [:]

  /// The stamp at which the last fault was over, of those with a name or of all; `.max` if one lasted to
  /// the end of the run.
  func endOfFaults(named name: String? = nil) -> Int {
    faults.indices.filter { name == nil || faults[$0].name == name }.map(endOfFault).max() ?? 0
  }

  /// The stamp at which a fault was over, or its healing; `.max` if it lasted to the end of the run.
  private func endOfFault(_ index: Int) -> Int {
    let mark = faults[index]
    let healing = faults[index...].first { $0.isHealing && $0.name == mark.name }
    return (mark.lasts ? healing : mark)?.end ?? .max
  }

  /// The history without faults that were over before the first call began, or that struck after the
  /// last one had begun.
  var trimmed: Self {
    var copy = self
    let first = calls.operations.map(\.call).min() ?? 0
    let last = calls.operations.map(\.call).max() ?? 0
    copy.faults = faults.indices.filter { endOfFault($0) > first && faults[$0].start < last }
      .map { faults[$0] }
    return copy
  }

  /// A drawing with a row for each client and one for the faults.
  var timeline: String {
    let marks = faults.map { fault in
      let label = fault.isHealing ? "\(fault.name) ends" : fault.name
      return HistoryDrawing.Bar(
        row: "faults", rank: .max, label: label, start: fault.start, end: fault.end)
    }
    return HistoryDrawing(bars: calls.operations.map(\.bar) + marks).text
  }
}
