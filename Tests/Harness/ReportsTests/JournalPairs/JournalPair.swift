import ContractEvidence
import Testing

/// Two journals that differ in one known way, and what each tool has to say.
struct JournalPair: Sendable, CustomTestStringConvertible {
  var testDescription: String
  var base: PairedRuns
  var head: PairedRuns
  /// The names of the changes by title: no other title may be there, and these names must be.
  var changes: [String: [String]] = [:]
  /// Titles that may be there besides.
  var mayAlsoList: Set<String> = []
  /// What the gate on the later journal says, one part of a sentence each; it passes if this is empty.
  var gate: [String] = []
  /// What the gate says besides if it gets the earlier journal.
  var gateWithBase: [String] = []
  /// What the gate says besides if it forbids new deviations.
  var gateForbidding: [String] = []
  /// What the history of both says.
  var history: [String] = []
  /// What no tool may say of the later journal.
  var mustNotSay: [String] = []

  init(_ name: String, _ base: PairedRuns, _ head: PairedRuns) {
    testDescription = name
    self.base = base
    self.head = head
  }
}

extension JournalPair {
  /// The part of the exit status that stands for each title.
  static let bits: [String: Int32] = [
    "newly failing": 1, "newly unproven": 2, "results lost": 2, "changed kinds": 2, "dropped": 4,
    "new deviations": 8, "no longer applicable": 8, "new problems": 16, "problems of the base": 16,
    "strength lost": 32,
  ]

  /// The titles and names in the text of a comparison.
  static func sections(of text: String) -> [String: [String]] {
    var sections: [String: [String]] = [:]
    var title = ""
    for line in text.split(separator: "\n") {
      if line.hasPrefix("  ") {
        sections[title, default: []].append(String(line.dropFirst(2)))
      } else if let end = line.range(of: " (", options: .backwards) {
        title = String(line[..<end.lowerBound])
        sections[title] = []
      }
    }
    return sections
  }
}
