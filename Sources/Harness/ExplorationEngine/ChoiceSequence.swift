/// The ranks drawn in a run, grouped by command.
///
/// It is encoded as an array of arrays of ranks: first the draws made before any command, then
/// one array a command.
public struct ChoiceSequence: Sendable {
  /// The draws made before the first command.
  public internal(set) var preamble: [Choice] = []

  /// The draws of each command, in order.
  public internal(set) var spans: [[Choice]] = []

  /// A sequence without draws.
  public init() {}

  /// A sequence of bare ranks, as read from a file.
  ///
  /// - Parameters:
  ///   - preamble: The ranks drawn before the first command.
  ///   - spans: The ranks of each command.
  public init(preamble: [UInt64] = [], spans: [[UInt64]]) {
    self.preamble = preamble.map { Choice(rank: $0) }
    self.spans = spans.map { $0.map { Choice(rank: $0) } }
  }

  mutating func append(_ choice: Choice) {
    if spans.isEmpty {
      preamble.append(choice)
    } else {
      spans[spans.count - 1].append(choice)
    }
  }

  mutating func openSpan() { spans.append([]) }

  /// The draws of one command; those of the preamble for -1, none past the end.
  func span(_ command: Int) -> [Choice] {
    if command < 0 { return preamble }
    return command < spans.count ? spans[command] : []
  }
}

/// One recorded decision.
public struct Choice: Sendable {
  /// What a decision is about; shrinking treats the kinds differently.
  @usableFromInline enum Kind: Sendable {
    case value
    case rule
  }

  /// 0 for the simplest value that was possible.
  public internal(set) var rank: UInt64

  /// The largest rank that was possible.
  public let limit: UInt64

  /// What the value means, if the generator said so.
  public let domain: Choices.Domain?

  let kind: Kind

  /// Values that may stand for each other: those of one domain or, without one, of equal limits.
  enum Group: Hashable {
    case domain(Choices.Domain)
    case limit(UInt64)
    case rules
  }

  var group: Group {
    if kind == .rule { return .rules }
    return domain.map { .domain($0) } ?? .limit(limit)
  }

  @usableFromInline
  init(
    rank: UInt64, limit: UInt64 = .max, kind: Kind = .value, domain: Choices.Domain? = nil
  ) {
    self.rank = rank
    self.limit = limit
    self.kind = kind
    self.domain = domain
  }
}

extension ChoiceSequence: Hashable {
  // Two sequences are equal when they replay alike, and a replay reads only the ranks.
  public static func == (left: Self, right: Self) -> Bool { left.ranks == right.ranks }

  public func hash(into hasher: inout Hasher) { hasher.combine(ranks) }

  private var ranks: [[UInt64]] { ([preamble] + spans).map { $0.map(\.rank) } }
}

extension ChoiceSequence: Codable {
  public init(from decoder: any Decoder) throws {
    let ranks = try decoder.singleValueContainer().decode([[UInt64]].self)
    self.init(preamble: ranks.first ?? [], spans: Array(ranks.dropFirst()))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(ranks)
  }
}
