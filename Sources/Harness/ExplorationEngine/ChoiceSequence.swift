/// The ranks drawn in a run, grouped by command.
///
/// A sequence is encoded as an array of arrays of ranks: first those drawn before any command, then
/// one array for each command.
public struct ChoiceSequence: Sendable {
  /// The choices drawn before the first command.
  public package(set) var preamble: [Choice] = []

  /// The choices of each command, in order.
  public package(set) var spans: [[Choice]] = []

  /// Creates an empty sequence.
  public init() {}

  /// Creates a sequence of ranks without limits and domains, as stored in a file.
  ///
  /// - Parameters:
  ///   - preamble: The ranks drawn before the first command.
  ///   - spans: The ranks of each command.
  public init(preamble: [UInt64] = [], spans: [[UInt64]]) {
    self.preamble = preamble.map { Choice(rank: $0) }
    self.spans = spans.map { $0.map { Choice(rank: $0) } }
  }

  package mutating func append(_ choice: Choice) {
    if spans.isEmpty {
      preamble.append(choice)
    } else {
      spans[spans.count - 1].append(choice)
    }
  }

  package mutating func openSpan() { spans.append([]) }

  /// The choices of a command; the preamble for -1, and an empty span past the end.
  package func span(_ command: Int) -> [Choice] {
    if command < 0 { return preamble }
    return command < spans.count ? spans[command] : []
  }
}

/// A recorded choice.
public struct Choice: Sendable {
  /// What a choice decides; shrinking treats the kinds differently.
  @usableFromInline package enum Kind: Sendable {
    case value
    case rule
  }

  /// The rank of the value drawn; 0 is the simplest possible value.
  public package(set) var rank: UInt64

  /// The largest possible rank.
  public let limit: UInt64

  /// The meaning of the value, if the generator declared it.
  public let domain: Choices.Domain?

  package let kind: Kind

  /// A group of interchangeable values: those of one domain or, without a domain, of equal limits.
  package enum Group: Hashable {
    case domain(Choices.Domain)
    case limit(UInt64)
    case rules
  }

  package var group: Group {
    if kind == .rule { return .rules }
    return domain.map { .domain($0) } ?? .limit(limit)
  }

  @usableFromInline
  package init(
    rank: UInt64, limit: UInt64 = .max, kind: Kind = .value, domain: Choices.Domain? = nil
  ) {
    self.rank = rank
    self.limit = limit
    self.kind = kind
    self.domain = domain
  }
}

extension ChoiceSequence: Hashable {
  // A replay reads only the ranks, so sequences with equal ranks are equal.
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
