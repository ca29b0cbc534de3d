@_exported public import HarnessSupport

/// Which cases a run is asked for: patterns, kinds of implementation and a share of them.
public struct Selection: Hashable, Sendable {
  /// The patterns of `CONTRACT`; empty means every case.
  public var patterns: [CasePattern]

  /// The kinds of `CONTRACT_KIND`; empty means every kind.
  public var kinds: Set<ImplementationKind>

  /// The shard of `CONTRACT_SHARD`.
  public var shard: Shard

  /// A selection of every case.
  public static let everything = Selection(patterns: [], kinds: [])

  /// Selects by patterns, kinds and share.
  public init(patterns: [CasePattern], kinds: Set<ImplementationKind>, shard: Shard = .whole) {
    self.patterns = patterns
    self.kinds = kinds
    self.shard = shard
  }

  /// Reads a selection from the environment's `CONTRACT`, `CONTRACT_KIND` and `CONTRACT_SHARD`.
  ///
  /// - Parameter environment: The process's environment.
  /// - Throws: ``EnvironmentError`` naming the variable and what it may hold.
  public init(environment: [String: String]) throws(EnvironmentError) {
    patterns = (environment["CONTRACT"] ?? "")
      .split(whereSeparator: { $0 == "," || $0.isWhitespace }).map { CasePattern(String($0)) }
    kinds = []
    let words = (environment["CONTRACT_KIND"] ?? "").split { $0 == "," || $0.isWhitespace }
    for word in words {
      guard let kind = ImplementationKind(rawValue: String(word)) else {
        let known = ImplementationKind.allCases.map(\.rawValue).joined(separator: ", ")
        throw EnvironmentError(
          variable: "CONTRACT_KIND", value: String(word), expected: "one or more of \(known)")
      }
      kinds.insert(kind)
    }
    shard = .whole
    if let text = environment["CONTRACT_SHARD"] {
      shard = try Shard(text, from: "CONTRACT_SHARD")
    }
  }

  /// Whether patterns or kinds leave something out; a share by itself does not, as the others have
  /// the rest.
  public var isSelective: Bool { !patterns.isEmpty || !kinds.isEmpty }

  /// Whether the case is asked for.
  ///
  /// - Parameters:
  ///   - id: The case.
  ///   - kind: The kind of its implementation, or `nil` for a saboteur.
  public func includes(_ id: CaseID, kind: ImplementationKind?) -> Bool {
    if !kinds.isEmpty {
      guard let kind, kinds.contains(kind) else { return false }
    }
    let positive = patterns.filter { !$0.isExclusion }
    return (positive.isEmpty || positive.contains { $0.matches(id) })
      && !patterns.contains { $0.isExclusion && $0.matches(id) }
  }
}

/// A pattern over case ids: `cookies/path-*@sqlite`, where a part left out matches anything.
///
/// `*` stands for any run of characters, `?` for one; a leading `!` excludes.
public struct CasePattern: Hashable, Sendable, CustomStringConvertible {
  /// The pattern as it was written.
  public var description: String

  /// Whether the pattern takes cases out.
  public var isExclusion: Bool

  private var contract: [UInt8]
  private var clause: [UInt8]
  private var implementation: [UInt8]

  /// Reads a pattern; every text is one.
  public init(_ text: String) {
    description = text
    isExclusion = text.hasPrefix("!")
    let body = isExclusion ? text.dropFirst() : text[...]
    let at = body.lastIndex(of: "@")
    let left = body[..<(at ?? body.endIndex)]
    let slash = left.firstIndex(of: "/")
    func part(_ text: Substring) -> [UInt8] {
      text.isEmpty ? [UInt8(ascii: "*")] : Array(text.utf8)
    }
    contract = part(left[..<(slash ?? left.endIndex)])
    clause = part(slash.map { left[left.index(after: $0)...] } ?? "")
    implementation = part(at.map { body[body.index(after: $0)...] } ?? "")
  }

  /// Whether the pattern's parts match the id's.
  public func matches(_ id: CaseID) -> Bool {
    Self.glob(contract, Array(id.contract.utf8)) && Self.glob(clause, Array(id.clause.utf8))
      && Self.glob(implementation, Array(id.implementation.utf8))
  }

  /// Linear-time glob: on a mismatch, only the last `*` takes one character more.
  private static func glob(_ pattern: [UInt8], _ text: [UInt8]) -> Bool {
    var p = 0
    var t = 0
    var star: (pattern: Int, text: Int)?
    while t < text.count {
      if p < pattern.count, pattern[p] == UInt8(ascii: "*") {
        star = (p, t)
        p += 1
      } else if p < pattern.count, pattern[p] == UInt8(ascii: "?") || pattern[p] == text[t] {
        p += 1
        t += 1
      } else if let last = star {
        star = (last.pattern, last.text + 1)
        p = last.pattern + 1
        t = last.text + 1
      } else {
        return false
      }
    }
    return pattern[p...].allSatisfy { $0 == UInt8(ascii: "*") }
  }
}
