import ContractEvidence

/// What backs the canned answers of an app's tests.
///
/// An answer is *backed* if the real thing is known to give it, *lying* if the real thing is known to answer
/// the same request otherwise, and an *orphan* if nothing is known.
public struct StubReport: Sendable {
  /// The canned answers, each place and answer once, by file and line.
  public let stubs: [Stub]

  /// A canned answer.
  public struct Stub: Hashable, Sendable {
    /// The answer.
    public var answer: NotedAnswer
    /// What backs or contradicts it.
    public var verdict: Verdict
  }

  /// What is known of a canned answer.
  public enum Verdict: Hashable, Sendable {
    /// The real thing gives such an answer.
    case backed
    /// Nothing shows what the real thing answers; the reason says what is missing.
    case orphan(String)
    /// The real thing answers otherwise; the reason says how.
    case lying(String)
  }

  /// Compares canned answers with those of the real thing.
  ///
  /// - Parameters:
  ///   - noted: The lines of ledgers, with canned answers and live ones.
  ///   - recorded: The answers of recordings.
  ///   - hosts: The real host, with its port if the URL has one, of each host that tests use instead.
  public init(
    _ noted: [NotedAnswer], recorded: [NotedAnswer] = [], hosts: [String: String] = [:]
  ) {
    var real: [Key: [NotedAnswer]] = [:]
    for answer in noted + recorded where answer.place == nil {
      real[Key(answer, hosts: [:]), default: []].append(answer)
    }
    stubs = Set(noted.filter { $0.place != nil }).map { answer in
      let known = real[Key(answer, hosts: hosts)] ?? []
      return Stub(answer: answer, verdict: Verdict(of: answer, known))
    }.sorted { one, other in
      guard let place = one.answer.place, let second = other.answer.place, place != second else {
        return (one.answer.request, one.answer.answer) < (other.answer.request, other.answer.answer)
      }
      return place < second
    }
  }

  private struct Key: Hashable {
    var port: String
    var request: String

    init(_ answer: NotedAnswer, hosts: [String: String]) {
      port = answer.port
      request = answer.request
      guard port == "http", let start = request.firstRange(of: "://")?.upperBound else { return }
      let end = request[start...].firstIndex { "/?#".contains($0) } ?? request.endIndex
      if let host = hosts[String(request[start..<end])] {
        request.replaceSubrange(start..<end, with: host)
      }
    }
  }

  /// The stubs that the real thing contradicts.
  public var lying: [Stub] { stubs.filter { if case .lying = $0.verdict { true } else { false } } }

  /// The stubs that nothing backs.
  public var orphans: [Stub] {
    stubs.filter { if case .orphan = $0.verdict { true } else { false } }
  }

  /// The report as text, newline-terminated: the lying stubs, the orphans, and the numbers.
  public var text: String {
    var lines: [String] = []
    for stub in lying + orphans {
      let (word, reason) =
        switch stub.verdict {
        case .lying(let reason): ("lying", reason)
        case .orphan(let reason): ("orphan", reason)
        case .backed: ("", "")
        }
      let place = stub.answer.place.map { "\($0.file):\($0.line)" } ?? ""
      lines.append("\(word): \(place): \(stub.answer.request) -> \(stub.answer.answer)")
      lines.append("    \(reason)")
    }
    lines.append(
      "\(stubs.count) canned answer\(stubs.count == 1 ? "" : "s"): "
        + "\(stubs.count - lying.count - orphans.count) backed, \(lying.count) lying, "
        + "\(orphans.count) orphan\(orphans.count == 1 ? "" : "s")")
    return lines.map { $0.printable.replacing("\n", with: " ").inert + "\n" }.joined()
  }
}

extension StubReport.Verdict {
  /// Judges a canned answer by what the real thing answered to the same request.
  fileprivate init(of stub: NotedAnswer, _ known: [NotedAnswer]) {
    if known.isEmpty {
      self = .orphan("no recording and no live run shows an answer to this request")
    } else if stub.port == "http" {
      self.init(ofResponse: stub, known)
    } else if known.contains(where: { $0.answer == stub.answer }) {
      self = .backed
    } else if stub.answer.hasPrefix("error ") {
      self = .orphan("the real thing was never seen to fail so: \(Self.list(known))")
    } else {
      self = .lying("the real thing answered \(Self.list(known))")
    }
  }

  /// Judges a response: its status and media type and, for JSON, types and members.
  ///
  /// Another error than the recorded ones is an orphan and no lie: a server can fail in many ways.
  private init(ofResponse stub: NotedAnswer, _ known: [NotedAnswer]) {
    let response = Response(stub)
    let sameStatus = known.filter { Response($0).status == response.status }
    guard !sameStatus.isEmpty else {
      self =
        (400...599).contains(response.status)
        ? .orphan("no recording shows this status: \(Self.list(known))")
        : .lying("the real thing answered \(Self.list(known))")
      return
    }
    let sameType = sameStatus.filter { Response($0).mediaType == response.mediaType }
    guard !sameType.isEmpty else {
      self = .lying("the real thing answered \(Self.list(sameStatus))")
      return
    }
    var shape = JSONShape()
    for value in sameType.compactMap(\.content).compactMap(JSONValue.init) { shape.add(value) }
    guard response.isJSON else {
      self = .backed
      return
    }
    let differences =
      stub.content.map { content in
        JSONValue(content).map { shape.differences(of: $0) } ?? ["the content is no JSON"]
      } ?? []
    self =
      differences.isEmpty
      ? .backed
      : .lying("\(differences.prefix(5).joined(separator: "; ")) (\(Self.sources(sameType)))")
  }

  /// The different answers, with the source of each.
  private static func list(_ known: [NotedAnswer]) -> String {
    var seen: Set<String> = []
    return known.filter { seen.insert($0.answer).inserted }
      .map { "\($0.answer) (\($0.source))" }.joined(separator: ", ")
  }

  private static func sources(_ known: [NotedAnswer]) -> String {
    Set(known.map(\.source)).sorted().prefix(3).joined(separator: "; ")
  }

  /// The parts of an HTTP answer.
  private struct Response {
    var status: Int
    var mediaType: String

    init(_ answer: NotedAnswer) {
      let parts = answer.answer.split(separator: " ")
      status = parts.first.flatMap { Int($0) } ?? 0
      mediaType = parts.count > 1 ? String(parts[1]) : ""
    }

    var isJSON: Bool { mediaType.hasSuffix("/json") || mediaType.hasSuffix("+json") }
  }
}
