@_exported public import HarnessSupport

/// The cases that a run selects, by patterns, kinds of implementation and shard.
package struct Selection: Hashable, Sendable {
  /// The patterns of `CONTRACT`; empty selects every case.
  package var patterns: [CasePattern]

  /// The kinds of `CONTRACT_KIND`; empty selects every kind.
  package var kinds: Set<ImplementationKind>

  /// The shard of `CONTRACT_SHARD`.
  package var shard: Shard

  /// Selects every case.
  package static let everything = Selection(patterns: [], kinds: [])

  package init(patterns: [CasePattern], kinds: Set<ImplementationKind>, shard: Shard = .whole) {
    self.patterns = patterns
    self.kinds = kinds
    self.shard = shard
  }

  /// Reads `CONTRACT`, `CONTRACT_KIND` and `CONTRACT_SHARD` from the environment.
  ///
  /// - Parameter environment: The process's environment.
  /// - Throws: ``EnvironmentError`` naming the variable and the values that it accepts.
  package init(environment: [String: String]) throws(EnvironmentError) {
    patterns = (environment["CONTRACT"] ?? "")
      .split(whereSeparator: { $0 == "," || $0.isWhitespace }).map { CasePattern(String($0)) }
    kinds = []
    let names = (environment["CONTRACT_KIND"] ?? "").split { $0 == "," || $0.isWhitespace }
    for name in names {
      guard let kind = ImplementationKind(rawValue: String(name)) else {
        let known = ImplementationKind.allCases.map(\.rawValue).joined(separator: ", ")
        throw EnvironmentError(
          variable: "CONTRACT_KIND", value: String(name), expected: "one or more of \(known)")
      }
      kinds.insert(kind)
    }
    shard = .whole
    if let text = environment["CONTRACT_SHARD"] {
      shard = try Shard(text, from: "CONTRACT_SHARD")
    }
  }

  /// Whether patterns or kinds leave out any case. A shard doesn't count: the other shards run the
  /// rest.
  package var isSelective: Bool { !patterns.isEmpty || !kinds.isEmpty }

  /// Whether the patterns and kinds select the case.
  ///
  /// - Parameters:
  ///   - id: The case.
  ///   - kind: The kind of its implementation, or `nil` for a saboteur. Selecting any kind leaves
  ///     out saboteurs.
  package func includes(_ id: CaseID, kind: ImplementationKind?) -> Bool {
    if !kinds.isEmpty {
      guard let kind, kinds.contains(kind) else { return false }
    }
    let positive = patterns.filter { !$0.isExclusion }
    return (positive.isEmpty || positive.contains { $0.matches(id) })
      && !patterns.contains { $0.isExclusion && $0.matches(id) }
  }
}

extension Selection {
  /// Whether patterns select the explorations of an implementation.
  package func includesExploration(of implementation: String) -> Bool {
    let selecting = patterns.filter { $0.selectsExploration(of: implementation) }
    return selecting.contains { !$0.isExclusion } && !selecting.contains(where: \.isExclusion)
  }
}

/// A pattern that matches case ids: `cookies/path-*@sqlite`. An omitted part matches anything.
///
/// `*` matches any number of characters, `?` matches one; a leading `!` excludes the matches.
public struct CasePattern: Hashable, Sendable, CustomStringConvertible {
  /// The text that the pattern was created from.
  public var description: String

  /// Whether the pattern excludes the cases that it matches.
  public var isExclusion: Bool

  private var contract: [UInt8]
  private var clause: [UInt8]
  private var implementation: [UInt8]

  /// Parses a pattern; every string is valid.
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

  /// Whether all three parts match the id's. ``isExclusion`` makes no difference here.
  public func matches(_ id: CaseID) -> Bool {
    Self.glob(contract, Array(id.contract.utf8)) && Self.glob(clause, Array(id.clause.utf8))
      && Self.glob(implementation, Array(id.implementation.utf8))
  }

  /// Whether the pattern selects the explorations of an implementation: its clause is `explore`.
  ///
  /// An exploration has a specification and no contract, so that part of the pattern is ignored.
  package func selectsExploration(of implementation: String) -> Bool {
    clause == Array("explore".utf8) && Self.glob(self.implementation, Array(implementation.utf8))
  }

  /// Matches a glob pattern without recursion or exponential backtracking.
  ///
  /// On a mismatch only the last `*` takes one more character: an earlier `*` can't help, because
  /// the part between the two has already matched at its leftmost position.
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
