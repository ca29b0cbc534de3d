public import ContractEvidence

/// The changes between two matrices: what `contracts diff` prints, the gate judges and a history lists.
public struct MatrixDifference: Equatable, Sendable {
  /// The changes, sorted by kind and name.
  public var changes: [Change]

  /// Compares two matrices.
  ///
  /// An implementation is compared with itself on the same platform. If it ran on other platforms only, as when the
  /// matrix of one system is compared with that of another, any of its platforms will do.
  /// - Parameters:
  ///   - base: The earlier matrix.
  ///   - head: The later matrix.
  public init(from base: Matrix, to head: Matrix) {
    changes = MatrixFacts(base).changes(to: MatrixFacts(head))
  }

  /// One change.
  public struct Change: Hashable, Sendable {
    /// What changed.
    public var kind: Kind
    /// The contract's id, or `nil` for a problem.
    public var contract: String?
    /// The clause's id, if the change concerns one.
    public var clause: String?
    /// The implementation's id, if the change concerns one; `saboteur.` and an id for a saboteur.
    public var implementation: String?
    /// The platform, if the change concerns one of several.
    public var platform: String?
    /// What was and what is, the problem, or the deviation, in words.
    public var detail: String?

    /// The subject, `contract/clause@implementation (platform)` without the parts that don't apply; for a problem, the
    /// problem.
    public var name: String {
      guard let contract else { return detail ?? "" }
      let clause = clause.map { "/\($0)" } ?? ""
      let implementation = implementation.map { "@\($0)" } ?? ""
      return contract + clause + implementation + (platform.map { " (\($0))" } ?? "")
    }

    /// The change as a sentence that begins with its subject.
    public var sentence: String {
      (contract == nil ? "" : "\(name): ") + statement
    }

    /// The change without its subject.
    var statement: String { kind.phrase + (detail.map { ": \($0)" } ?? "") }

    /// The case or the part of one that a pattern can match.
    var id: CaseID {
      CaseID(
        contract: contract ?? "", clause: clause ?? "", implementation: implementation ?? "")
    }
  }

  /// What changed. The raw value is the title of the list.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// A problem of a run or a journal that the base does not have.
    case newProblem = "new problems"
    /// The base is damaged, incomplete or empty, so that a comparison with it can be wrong.
    case baseProblem = "problems of the base"
    /// A case fails, or a saboteur escapes, that did not.
    case newlyFailing = "newly failing"
    /// A clause held on a live implementation, and is unproven now.
    case newlyUnproven = "newly unproven"
    /// A case had a result, and has none now, or one that is no evidence.
    case resultLost = "results lost"
    /// An implementation was a fake and is live, or the reverse.
    case changedKind = "changed kinds"
    /// A clause, an implementation, or an implementation's platform is gone, or the adopter left out the clause.
    case dropped
    /// A declared deviation is new.
    case newDeviation = "new deviations"
    /// A case ran, and does not apply now because the implementation lacks a capability.
    case notApplicable = "no longer applicable"
    /// A clause was seen to fail on a saboteur, and is not now.
    case strengthLost = "strength lost"
    /// A declared deviation has changed.
    case changedDeviation = "changed deviations"
    /// A declared deviation is gone.
    case deviationGone = "deviations gone"
    /// A clause's text, or a contract's revision or digest, has changed.
    case changedClause = "changed clauses"
    /// What an implementation says of its version has changed.
    case changedVersion = "changed versions"
    /// A case that failed passes.
    case newlyPassing = "newly passing"
    /// A clause was not seen to fail on a saboteur, and is now.
    case strengthGained = "strength gained"
    /// A clause, an implementation, or an implementation's platform is new.
    case added
    /// A problem of a run is gone.
    case problemGone = "problems gone"

    /// The part of the exit status that stands for the kind; 0 if it is no loss.
    public var exitBit: Int32 {
      switch self {
      case .newlyFailing: 1
      case .newlyUnproven, .resultLost, .changedKind: 2
      case .dropped: 4
      case .newDeviation, .notApplicable: 8
      case .newProblem, .baseProblem: 16
      case .strengthLost: 32
      case .changedDeviation, .deviationGone, .changedClause, .changedVersion, .newlyPassing,
        .strengthGained, .added, .problemGone:
        0
      }
    }

    /// What the gate does about a change, beyond what it says of the later matrix alone.
    enum Treatment {
      case rejected
      /// Rejected if new deviations are forbidden, and noted otherwise.
      case excuse
      case noted
      /// The gate judges what the later matrix shows, or the change is no loss.
      case ignored
    }

    var treatment: Treatment {
      switch self {
      case .baseProblem, .changedKind, .dropped: .rejected
      case .newDeviation, .notApplicable: .excuse
      case .resultLost, .strengthLost, .changedDeviation, .deviationGone, .changedClause,
        .changedVersion:
        .noted
      case .newProblem, .newlyFailing, .newlyUnproven, .newlyPassing, .strengthGained, .added,
        .problemGone:
        .ignored
      }
    }

    /// Whether journals of a part of the cases show the change, so that a history can list it.
    var isOfDeclaration: Bool {
      switch self {
      case .changedKind, .newDeviation, .changedDeviation, .deviationGone, .notApplicable,
        .changedClause, .changedVersion:
        true
      default: false
      }
    }

    /// What happened, as the middle of a sentence.
    var phrase: String {
      switch self {
      case .newProblem: "new problem"
      case .baseProblem: "problem of the base"
      case .newlyFailing: "fails now"
      case .newlyUnproven: "is unproven now"
      case .resultLost: "had a result in the base, and has none now"
      case .changedKind: "the kind changed"
      case .dropped: "is in the base, and not here"
      case .newDeviation: "new deviation"
      case .notApplicable: "does not apply any more"
      case .strengthLost: "no saboteur shows any more that it can fail"
      case .changedDeviation: "the deviation changed"
      case .deviationGone: "the deviation is gone"
      case .changedClause: "the clause changed"
      case .changedVersion: "the version changed"
      case .newlyPassing: "passes now"
      case .strengthGained: "a saboteur shows now that it can fail"
      case .added: "is new"
      case .problemGone: "the problem is gone"
      }
    }
  }

  /// The exit status of `contracts diff`: the sum of the ``Kind/exitBit`` of the kinds that occur.
  public var exitStatus: Int32 { changes.reduce(0) { $0 | $1.kind.exitBit } }

  /// Whether nothing changed.
  public var isEmpty: Bool { changes.isEmpty }

  /// The changes by kind, without empty kinds.
  package var sections: [(kind: Kind, changes: [Change])] {
    let byKind = Dictionary(grouping: changes, by: \.kind)
    return Kind.allCases.compactMap { kind in byKind[kind].map { (kind, $0) } }
  }

  /// The changes as text, grouped by kind, newline-terminated.
  public var text: String {
    var lines: [String] = []
    for (kind, changes) in sections {
      lines.append("\(kind.rawValue) (\(changes.count)):")
      lines += changes.map { "  \($0.name)" + ($0.note.map { " \($0)" } ?? "") }
    }
    if lines.isEmpty { lines.append("no difference") }
    return lines.map { $0.printable.replacing("\n", with: " ").inert + "\n" }.joined()
  }
}

extension MatrixDifference.Change {
  /// What follows the name in a list.
  var note: String? { contract == nil ? nil : detail }
}
