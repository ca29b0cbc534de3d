import HarnessSupport

/// One line of a journal: what happened, in which run, when.
public struct JournalRecord: Hashable, Sendable {
  /// The version of the format that this package writes.
  public static let formatVersion = 1

  /// The run's id, unique across machines, so that journals merge by concatenation.
  public var run: String

  /// Seconds since 1970-01-01 00:00 UTC.
  public var time: Double

  /// What happened.
  public var event: Event

  /// A record of `event` in `run` at `time`.
  public init(run: String, time: Double, event: Event) {
    self.run = run
    self.time = time
    self.event = event
  }

  /// The kinds of record.
  public enum Event: Hashable, Sendable {
    /// A process began to run cases.
    case runStarted(platform: String)
    /// A contract was asked for its cases.
    case contract(ContractSummary)
    /// An implementation was given to a contract.
    case implementation(ImplementationSummary)
    /// A case is about to run.
    case caseStarted(CaseID)
    /// A case has ended.
    case caseFinished(CaseResult)
    /// A saboteur was run on a clause that it names.
    case saboteur(SaboteurResult)
    /// Something is wrong with a declaration, or with the run as a whole.
    case problem(String)
    /// The process ended in order.
    case runFinished
  }
}

/// A contract, as its journal describes it.
public struct ContractSummary: Hashable, Sendable, Codable {
  /// The contract's id.
  public var id: String
  /// What the contract is about, in words.
  public var title: String
  /// The number that its authors raise when a clause's body changes its meaning.
  public var revision: Int
  /// A fingerprint of the clauses: ids, sentences, sources and capabilities, in order.
  public var digest: String
  /// The clauses in order.
  public var clauses: [ClauseSummary]
  /// Clauses that the adopter dropped, by id, with the reason.
  public var dropped: [String: String]
  /// Clauses that no saboteur names.
  public var unproven: [String]

  /// Describes a contract; the digest is computed from the clauses.
  public init(
    id: String, title: String, revision: Int, clauses: [ClauseSummary],
    dropped: [String: String] = [:], unproven: [String] = []
  ) {
    self.id = id
    self.title = title
    self.revision = revision
    self.clauses = clauses
    self.dropped = dropped
    self.unproven = unproven
    digest = Self.digest(of: clauses, revision: revision)
  }

  /// A fingerprint of what the clauses say, not of their bodies.
  private static func digest(of clauses: [ClauseSummary], revision: Int) -> String {
    var fingerprint = Fingerprint()
    fingerprint.add(word: String(revision))
    for clause in clauses {
      fingerprint.add(word: clause.id)
      fingerprint.add(word: clause.sentence)
      fingerprint.add(word: clause.source ?? "")
      for capability in clause.requires { fingerprint.add(word: capability) }
      fingerprint.add(word: clause.absenceOf ?? "")
    }
    return fingerprint.hexadecimal
  }
}

/// A clause, as its contract's journal describes it.
public struct ClauseSummary: Hashable, Sendable, Codable {
  /// The clause's id.
  public var id: String
  /// The behaviour, in a sentence.
  public var sentence: String
  /// Where the behaviour is laid down.
  public var source: String?
  /// The group's title, where the clause is in one.
  public var group: String?
  /// The capabilities that the clause asks for.
  public var requires: [String]
  /// The capability whose absence the clause probes.
  public var absenceOf: String?
  /// The file that declares the clause, as `Module/File.swift`.
  public var file: String
  /// The path of the file on the machine that ran the contract.
  public var path: String?
  /// The line of the declaration.
  public var line: Int

  /// Describes a clause.
  public init(
    id: String, sentence: String, source: String?, group: String?, requires: [String],
    absenceOf: String?, file: String, path: String? = nil, line: Int
  ) {
    self.id = id
    self.sentence = sentence
    self.source = source
    self.group = group
    self.requires = requires
    self.absenceOf = absenceOf
    self.file = file
    self.path = path
    self.line = line
  }
}

/// An implementation, as its contract's journal describes it.
public struct ImplementationSummary: Hashable, Sendable, Codable {
  /// The contract that it was given to.
  public var contract: String
  /// The implementation's id.
  public var id: String
  /// What kind of thing it is.
  public var kind: ImplementationKind
  /// The capabilities that it lacks, with the reasons.
  public var lacks: [String: String]
  /// The deviations that apply on this platform.
  public var deviations: [DeviationSummary]

  /// Describes an implementation.
  public init(
    contract: String, id: String, kind: ImplementationKind, lacks: [String: String],
    deviations: [DeviationSummary]
  ) {
    self.contract = contract
    self.id = id
    self.kind = kind
    self.lacks = lacks
    self.deviations = deviations
  }
}

/// A declared deviation, as a journal describes it.
public struct DeviationSummary: Hashable, Sendable, Codable {
  /// The clause that does not hold.
  public var clause: String
  /// `bug`, `unsupported` or `planned`.
  public var kind: String
  /// Why it does not hold.
  public var reason: String
  /// Where the bug is tracked.
  public var link: String?
  /// Whether it sometimes holds.
  public var isIntermittent: Bool

  /// Describes a deviation.
  public init(clause: String, kind: String, reason: String, link: String?, isIntermittent: Bool) {
    self.clause = clause
    self.kind = kind
    self.reason = reason
    self.link = link
    self.isIntermittent = isIntermittent
  }
}

/// How a case ended, with what it had to say.
public struct CaseResult: Hashable, Sendable {
  /// The case.
  public var id: CaseID
  /// How it ended.
  public var outcome: Outcome
  /// How long it took, tear-down included, in seconds.
  public var seconds: Double
  /// What went wrong, in order.
  public var issues: [IssueSummary]

  /// Describes the end of a case.
  public init(id: CaseID, outcome: Outcome, seconds: Double, issues: [IssueSummary] = []) {
    self.id = id
    self.outcome = outcome
    self.seconds = seconds
    self.issues = issues
  }

  /// What a report has to say: the issues of a failure. Those of a declared deviation stay in the
  /// journal, as its reason says enough.
  var failureIssues: [IssueSummary] { outcome.isFailure ? issues : [] }
}

/// One thing that went wrong, and where.
public struct IssueSummary: Hashable, Sendable, Codable {
  /// What went wrong.
  public var message: String
  /// The file, as `Module/File.swift`, where it is known.
  public var file: String?
  /// The path of the file on the machine that ran the case.
  public var path: String?
  /// The line, counted from 1.
  public var line: Int?
  /// Whether it arose while the fixture was made or torn down, and not in the clause.
  public var isFixture: Bool

  /// Describes an issue.
  public init(message: String, file: String?, path: String?, line: Int?, isFixture: Bool = false) {
    self.message = message
    self.file = file
    self.path = path
    self.line = line
    self.isFixture = isFixture
  }
}

/// What became of a saboteur on one clause that it names.
public struct SaboteurResult: Hashable, Sendable, Codable {
  /// The contract.
  public var contract: String
  /// The saboteur's id.
  public var saboteur: String
  /// The clause.
  public var clause: String
  /// Whether the clause caught it.
  public var isCaught: Bool
  /// What the clause said, or why the saboteur escaped.
  public var message: String

  /// Describes a verdict on a saboteur.
  public init(contract: String, saboteur: String, clause: String, isCaught: Bool, message: String) {
    self.contract = contract
    self.saboteur = saboteur
    self.clause = clause
    self.isCaught = isCaught
    self.message = message
  }
}
