/// What a scaffold could not guess.
struct ScaffoldNotes {
  private let text: ScaffoldText
  private let chosen: [String: String]
  private let given: [String: String]
  private let existing: String?

  init(
    _ text: ScaffoldText, chosen: [String: String], given: [String: String], existing: String?
  ) {
    self.text = text
    self.chosen = chosen
    self.given = given
    self.existing = existing
  }

  private var port: ScaffoldPort { text.port }

  /// The notes, one sentence each.
  var all: [String] { unread + types + exploration + implementations }

  private var unread: [String] {
    var notes = port.port.declaration.unread.map { "this part of the protocol was not read: \($0)" }
    if port.port.declaration.isConditional {
      notes.append("some requirements stand between #if and #endif; on which systems is not known")
    }
    notes += port.port.unknown.map {
      "the requirements of \($0) are not known, because no file of the package declares it"
    }
    if !port.isComplete {
      notes.append(
        "for these reasons there is no fake; write a type that conforms")
    }
    return notes
  }

  private var types: [String] {
    chosen.keys.sorted().filter { given[$0] == nil }.map {
      "SampleValue stands for the associated type \($0); choose another with --type \($0)=TYPE"
    }
  }

  private var exploration: [String] {
    let left = port.requirements.filter { !$0.isModelled }.map(\.requirement.signature)
    var notes: [String] = []
    if !left.isEmpty {
      notes.append(
        "the model and the operations leave out \(left.joined(separator: ", ")): only calls on an instance are "
          + "known, with values that are Sendable")
    }
    guard !port.modelled.isEmpty else { return notes }
    notes += text.unknownDomains.map {
      "which values of \($0.type) calls use; write them in \(text.names.values).\($0.name)"
    }
    if !text.gaps.isEmpty {
      notes.append("values for \(text.gaps.joined(separator: ", ")), which are left out")
    }
    return notes
  }

  private var implementations: [String] {
    var notes: [String] = []
    if let existing { notes.append("how to create \(existing); \(existing)() is used") }
    if text.adapters.isEmpty {
      notes.append("which type is the real thing: none conforms to \(text.names.type)")
    }
    return notes
      + text.adapters.map { adapter in
        "how to create \(adapter)" + (text.creation(of: adapter).map { "; \($0) is used" } ?? "")
      }
  }
}
