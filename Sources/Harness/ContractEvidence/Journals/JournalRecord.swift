import HarnessSupport

/// One line of a journal: an event, the run that it belongs to, and its time.
public struct JournalRecord: Equatable, Sendable {
  /// The version of the format that this package writes. Journals of earlier versions can be read.
  ///
  /// Version 2 adds the commit and the versions to the start of a run, the version of an
  /// implementation, the last day of a deviation, what a case's witnesses observed, and how many expectations
  /// it evaluated.
  public static let formatVersion = 2

  /// The run's id, unique across machines, so that journals can be merged by concatenation.
  public var run: String

  /// The time in seconds since 1970-01-01 00:00 UTC.
  public var time: Double

  /// The event.
  public var event: Event

  package init(run: String, time: Double, event: Event) {
    self.run = run
    self.time = time
    self.event = event
  }

  /// What a record reports.
  public enum Event: Equatable, Sendable {
    /// A process started to run cases.
    case runStarted(RunSummary)
    /// A contract's cases are about to run.
    case contract(ContractSummary)
    /// An implementation's cases are about to run.
    case implementation(ImplementationSummary)
    /// A case is about to run.
    case caseStarted(CaseID)
    /// A case still runs after half of its time limit; the number is the seconds since its start.
    case caseSlow(CaseID, seconds: Double)
    /// A case ended.
    case caseFinished(CaseResult)
    /// A signal ended the process during a case. Cases that ran at the same time did not end.
    case processCrashed(CaseID, signal: Int32)
    /// A saboteur ran against one of the clauses that it names.
    case saboteur(SaboteurResult)
    /// A process made cases that it did not run: how many, and why.
    case leftOut(Int, reason: String)
    /// A declaration or the whole run has a problem.
    case problem(String)
    /// The process ended normally.
    case runFinished
  }
}

/// The code and the machine that a run shows something about.
public struct RunSummary: Hashable, Sendable {
  /// The operating system: `linux`, `macos`, `windows`, `apple-mobile` or `other`.
  public var platform: String
  /// The commit that was checked out, in hexadecimal digits, if it is known.
  public var commit: String?
  /// Whether files differed from the commit, if that is known.
  public var isDirty: Bool?
  /// The versions of `harness`, `swift` and `os`, as far as they are known.
  public var versions: [String: String]

  package init(
    platform: String, commit: String? = nil, isDirty: Bool? = nil, versions: [String: String] = [:]
  ) {
    self.platform = platform
    self.commit = commit
    self.isDirty = isDirty
    self.versions = versions
  }

  /// The commit, the operating system and the versions on one line, or `nil` if only the platform is
  /// known.
  public var text: String? {
    if commit == nil, versions.isEmpty { return nil }
    var parts: [String] = []
    if let commit {
      parts.append("commit \(commit.prefix(12))" + (isDirty == true ? " with changes" : ""))
    }
    parts.append(platform + (versions["os"].map { " (\($0))" } ?? ""))
    if let swift = versions["swift"] { parts.append("Swift \(swift)") }
    if let harness = versions["harness"] { parts.append("swift-contract-testing \(harness)") }
    return parts.joined(separator: ", ")
  }
}

/// A contract, as described in a journal.
public struct ContractSummary: Equatable, Sendable {
  /// The contract's id.
  public var id: String
  /// The contract's subject.
  public var title: String
  /// The number that the authors raise when a clause's body changes its meaning.
  public var revision: Int
  /// The journal's fingerprint of the clauses' ids, sentences, sources and capabilities, in order.
  public var digest: String
  /// The clauses in order.
  public var clauses: [ClauseSummary]
  /// The clauses that the adopter left out, by id, with the reason.
  public var dropped: [String: String]
  /// The clauses that no saboteur names, although the contract doesn't leave them to mutants.
  public var clausesWithoutSaboteur: [String]
  /// The clauses that the contract leaves to mutants.
  public var leftToMutants: [String]
  /// How many results the contract's saboteurs have, one for each clause that each names; `nil` if the journal is
  /// older than this field.
  public var saboteurResults: Int?
  /// Whether the package that ran the contract declares it, or `nil` if the journal is older than
  /// this field.
  ///
  /// A package is responsible for the strength of its own contracts only. The gate doesn't infer
  /// ownership: a journal without the field passes the gate as it did when it was written.
  public var isOwn: Bool?

  /// Describes a contract and computes its digest from the clauses.
  package init(
    id: String, title: String, revision: Int, clauses: [ClauseSummary],
    dropped: [String: String] = [:], clausesWithoutSaboteur: [String] = [],
    leftToMutants: [String] = [], saboteurResults: Int? = nil, isOwn: Bool = true
  ) {
    self.id = id
    self.title = title
    self.revision = revision
    self.clauses = clauses
    self.dropped = dropped
    self.clausesWithoutSaboteur = clausesWithoutSaboteur
    self.leftToMutants = leftToMutants
    self.saboteurResults = saboteurResults
    self.isOwn = isOwn
    digest = ""
    digest = computedDigest
  }

  /// What the digest of the clauses is; ``digest`` differs from it if someone has changed the journal.
  ///
  /// The clauses' bodies are not part of the digest: no tool can tell whether their meaning changed.
  package var computedDigest: String {
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

/// A clause, as described in a journal.
public struct ClauseSummary: Equatable, Sendable {
  /// The clause's id.
  public var id: String
  /// The behaviour, in one sentence.
  public var sentence: String
  /// The specification of the behaviour, such as an RFC section.
  public var source: String?
  /// The title of the clause's group.
  public var group: String?
  /// The capabilities that the clause requires.
  public var requires: [String]
  /// The capability whose absence the clause checks.
  public var absenceOf: String?
  /// The file that declares the clause, as `Module/File.swift`.
  public var file: String
  /// The file's path on the machine that ran the contract.
  public var path: String?
  /// The line of the declaration.
  public var line: Int

  package init(
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

/// An implementation, as described in a journal.
public struct ImplementationSummary: Equatable, Sendable {
  /// The id of the contract that the implementation ran.
  public var contract: String
  /// The implementation's id.
  public var id: String
  /// The implementation's kind.
  public var kind: ImplementationKind
  /// The capabilities that it lacks, with the reasons.
  public var lacks: [String: String]
  /// The deviations that are declared for this platform.
  public var deviations: [DeviationSummary]
  /// What the implementation says of itself, such as `Redis 7.2.4`.
  public var version: String?
  /// The names of the types that the first fixture was made of, sorted; `nil` if they are not known.
  public var parts: [String]?

  package init(
    contract: String, id: String, kind: ImplementationKind, lacks: [String: String],
    deviations: [DeviationSummary], version: String? = nil, parts: [String]? = nil
  ) {
    self.contract = contract
    self.id = id
    self.kind = kind
    self.lacks = lacks
    self.deviations = deviations
    self.version = version
    self.parts = parts
  }
}

/// A declared deviation, as described in a journal.
public struct DeviationSummary: Equatable, Sendable {
  /// The clause that does not hold.
  public var clause: String
  /// `bug`, `unsupported` or `planned`.
  public var kind: String
  /// Why the clause does not hold.
  public var reason: String
  /// The address of the bug report.
  public var link: String?
  /// Whether the clause sometimes holds.
  public var isIntermittent: Bool
  /// The last day of the deviation in UTC, as `2027-01-31`; after it, the case fails.
  public var until: String?

  package init(
    clause: String, kind: String, reason: String, link: String?, isIntermittent: Bool,
    until: String? = nil
  ) {
    self.clause = clause
    self.kind = kind
    self.reason = reason
    self.link = link
    self.isIntermittent = isIntermittent
    self.until = until
  }
}

/// The result of one case.
public struct CaseResult: Equatable, Sendable {
  /// The case.
  public var id: CaseID
  /// How the case ended.
  public var outcome: Outcome
  /// The duration in seconds, including teardown.
  public var seconds: Double
  /// The issues that the case recorded, in order.
  public var issues: [IssueSummary]
  /// What the fixture's witnesses observed, or `nil` if it has none or the case did not end.
  public var witness: WitnessSummary?
  /// How many expectations the clause evaluated, or `nil` if nothing counted them.
  public var expectations: Int?

  package init(
    id: CaseID, outcome: Outcome, seconds: Double, issues: [IssueSummary] = [],
    witness: WitnessSummary? = nil, expectations: Int? = nil
  ) {
    self.id = id
    self.outcome = outcome
    self.seconds = seconds
    self.issues = issues
    self.witness = witness
    self.expectations = expectations
  }

  /// The issues that reports show: those of failures. A declared deviation's reason explains its
  /// issues, so they stay in the journal.
  package var failureIssues: [IssueSummary] { outcome.isFailure ? issues : [] }
}

/// What the witnesses of a fixture observed during a clause.
public struct WitnessSummary: Equatable, Sendable {
  /// What was sampled: `the database file`.
  public var name: String
  /// Whether a sample changed.
  public var isTouched: Bool
  /// How the samples that changed were taken, each kind once; empty also if the journal is older than this field.
  public var kinds: [WitnessKind]

  package init(name: String, isTouched: Bool, kinds: [WitnessKind] = []) {
    self.name = name
    self.isTouched = isTouched
    self.kinds = kinds
  }
}

/// How a witness is sampled, which decides what can imitate a change.
public enum WitnessKind: String, Codable, Sendable, CaseIterable {
  /// By a closure of the package. Whatever the closure reads can be changed without the real thing.
  case closure
  /// The harness reads a file.
  case file
  /// Another program prints the state, such as `sqlite3`.
  case program
  /// The harness holds one end of a connection: it counts the bytes that a server sends through its proxy, or the
  /// connections that its own server accepts.
  case connection
  /// The harness reads what a server of another project logs.
  case serverLog = "server-log"

  /// What reports say of a column.
  public var text: String {
    switch self {
    case .closure: "sampled by the package"
    case .file: "a file that the harness reads"
    case .program: "printed by another program"
    case .connection: "a connection of which the harness holds one end"
    case .serverLog: "a server's own log"
    }
  }
}

/// An issue that a case recorded, with its source location.
public struct IssueSummary: Equatable, Sendable {
  /// The issue's message.
  public var message: String
  /// The file, as `Module/File.swift`, if it is known.
  public var file: String?
  /// The file's path on the machine that ran the case.
  public var path: String?
  /// The line, from 1.
  public var line: Int?
  /// Whether the issue was recorded during the fixture's setup or teardown.
  public var isFixture: Bool

  package init(
    message: String, file: String?, path: String?, line: Int?, isFixture: Bool = false
  ) {
    self.message = message
    self.file = file
    self.path = path
    self.line = line
    self.isFixture = isFixture
  }
}

/// The result of a saboteur on one of the clauses that it names.
public struct SaboteurResult: Equatable, Sendable {
  /// The contract's id.
  public var contract: String
  /// The saboteur's id.
  public var saboteur: String
  /// The clause's id.
  public var clause: String
  /// Whether the clause failed, as it must.
  public var isCaught: Bool
  /// The clause's message, or why the saboteur escaped.
  public var message: String

  package init(contract: String, saboteur: String, clause: String, isCaught: Bool, message: String)
  {
    self.contract = contract
    self.saboteur = saboteur
    self.clause = clause
    self.isCaught = isCaught
    self.message = message
  }
}
