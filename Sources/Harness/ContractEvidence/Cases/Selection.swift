/// Which cases a run is asked for: patterns, kinds of implementation and a share of them.
public struct Selection: Hashable, Sendable {
  /// The patterns of `CONTRACT`; empty means every case.
  public var patterns: [CasePattern]

  /// The kinds of `CONTRACT_KIND`; empty means every kind.
  public var kinds: Set<ImplementationKind>

  /// The share of `CONTRACT_SHARD`, or `nil` for all of it.
  public var shard: Shard?

  /// A selection of every case.
  public static let everything = Selection(patterns: [], kinds: [])

  /// Selects by patterns, kinds and share.
  public init(patterns: [CasePattern], kinds: Set<ImplementationKind>, shard: Shard? = nil) {
    self.patterns = patterns
    self.kinds = kinds
    self.shard = shard
  }

  /// Reads a selection from the environment's `CONTRACT`, `CONTRACT_KIND` and `CONTRACT_SHARD`.
  ///
  /// - Parameter environment: The process's environment.
  /// - Throws: ``SelectionError`` naming the variable and what it may hold.
  public init(environment: [String: String]) throws(SelectionError) {
    patterns = (environment["CONTRACT"] ?? "")
      .split(whereSeparator: { $0 == "," || $0.isWhitespace }).map { CasePattern(String($0)) }
    kinds = []
    let words = (environment["CONTRACT_KIND"] ?? "").split { $0 == "," || $0.isWhitespace }
    for word in words {
      guard let kind = ImplementationKind(rawValue: String(word)) else {
        let known = ImplementationKind.allCases.map(\.rawValue).joined(separator: ", ")
        throw SelectionError(
          variable: "CONTRACT_KIND", value: String(word), expected: "one or more of \(known)")
      }
      kinds.insert(kind)
    }
    shard = try environment["CONTRACT_SHARD"].map(Shard.init)
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

/// One of several equal shares of the cases, for one of several machines.
public struct Shard: Hashable, Sendable {
  /// Which share, counted from 1.
  public var number: Int

  /// Into how many shares the cases are split.
  public var count: Int

  /// Reads a share in the form `2/4`.
  ///
  /// - Throws: ``SelectionError`` for anything else.
  public init(_ text: String) throws(SelectionError) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
    guard parts.count == 2, let number = parts[0], let count = parts[1], number >= 1,
      number <= count
    else {
      throw SelectionError(
        variable: "CONTRACT_SHARD", value: text, expected: "a share and their number, as 2/4")
    }
    self.number = number
    self.count = count
  }

  /// The share's part of a list; parts differ by at most one in size.
  ///
  /// - Parameters:
  ///   - list: The whole, in the same order on every machine.
  ///   - name: The list's name, which decides where the dealing begins: many short lists would
  ///     otherwise all end up in the first share.
  public func part<Element>(of list: [Element], named name: String) -> [Element] {
    let start = name.utf8.reduce(0) { ($0 &* 31 &+ UInt32($1)) }
    return list.enumerated()
      .filter { (Int(start) % count + $0.offset) % count == number - 1 }.map(\.element)
  }
}

/// A variable of the environment that holds something else than it may.
public struct SelectionError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The variable's name.
  public var variable: String
  /// What it holds.
  public var value: String
  /// What it may hold.
  public var expected: String

  /// Describes a variable that can't be used.
  public init(variable: String, value: String, expected: String) {
    self.variable = variable
    self.value = value
    self.expected = expected
  }

  public var description: String { "\(variable)='\(value)' is not understood: give \(expected)" }
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
