/// Compares two JSON values, and lists each difference with its path.
struct JSONComparison {
  typealias Change = ArchiveVerification.Change
  typealias Rule = ArchiveVerification.Matcher.Rule

  /// A matcher, and the rest of its path below the current value.
  struct PathRule {
    var rest: ArraySlice<JSONPath.Step>
    var rule: Rule
  }

  /// The maximum number of elements to compare in two arrays of different lengths, after equal elements
  /// at both ends are removed.
  private static let arrayLimit = 200

  /// The maximum number of differences to keep.
  private static let storedChanges = 1_000

  private(set) var changes: [Change] = []

  /// Compares a value with the recorded one at the same path.
  mutating func compare(_ recorded: JSON, _ live: JSON, at path: String, _ rules: [PathRule]) {
    let rule = rules.last { $0.rest.isEmpty }?.rule
    if let rule, rule != .anyOrder {
      guard !rule.allows(live, for: recorded) else { return }
      return add(
        .value(path: path, recorded: recorded.summary, live: live.summary, rule: rule))
    }
    switch (recorded, live) {
    case (.object(let old), .object(let new)): members(old, new, at: path, rules)
    case (.array(let old), .array(let new)):
      if rule == .anyOrder {
        unordered(old, new, at: path, rules)
      } else {
        elements(old, new, at: path, rules)
      }
    default:
      guard !recorded.isEqual(to: live) else { return }
      add(
        recorded.typeName == live.typeName
          ? .value(path: path, recorded: recorded.summary, live: live.summary)
          : .type(path: path, recorded: recorded.typed, live: live.typed))
    }
  }

  private mutating func add(_ change: Change) {
    if changes.count < Self.storedChanges { changes.append(change) }
  }

  private mutating func members(
    _ recorded: [JSON.Member], _ live: [JSON.Member], at path: String, _ rules: [PathRule]
  ) {
    let values = Dictionary(
      live.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    let names = Set(recorded.map(\.name))
    for member in recorded {
      let inner = path + JSONPath.step(member.name)
      let rules = rules.after { $0.after(member.name) }
      if let value = values[member.name] {
        compare(member.value, value, at: inner, rules)
      } else if !rules.ignore {
        add(.missing(path: inner, recorded: member.value.typed))
      }
    }
    for member in live where !names.contains(member.name) {
      let rules = rules.after { $0.after(member.name) }
      if !rules.ignore {
        add(.new(path: path + JSONPath.step(member.name), live: member.value.typed))
      }
    }
  }

  private mutating func elements(
    _ recorded: [JSON], _ live: [JSON], at path: String, _ rules: [PathRule]
  ) {
    func agree(_ old: Int, _ new: Int) -> Bool {
      agrees(recorded[old], live[new], rules.after { $0.after(new) })
    }
    let shorter = min(recorded.count, live.count)
    if recorded.count == live.count {
      for index in 0..<shorter {
        let rules = rules.after { $0.after(index) }
        compare(recorded[index], live[index], at: "\(path)[\(index)]", rules)
      }
      return
    }
    var start = 0
    while start < shorter, agree(start, start) { start += 1 }
    var end = 0
    while end < shorter - start, agree(recorded.count - 1 - end, live.count - 1 - end) { end += 1 }
    let old = Array(start..<recorded.count - end)
    let new = Array(start..<live.count - end)
    guard old.count + new.count <= Self.arrayLimit else {
      return add(.count(path: path, recorded: recorded.count, live: live.count))
    }
    // The smallest set of removed and inserted positions that explains the difference.
    var (removed, inserted): ([Int], [Int]) = ([], [])
    for change in new.difference(from: old, by: agree) {
      switch change {
      case .remove(_, let index, _): removed.append(index)
      case .insert(_, let index, _): inserted.append(index)
      }
    }
    pair(removed.sorted(), inserted, recorded, live, at: path, rules)
  }

  private mutating func unordered(
    _ recorded: [JSON], _ live: [JSON], at path: String, _ rules: [PathRule]
  ) {
    var positions: [JSON: [Int]] = [:]
    for (index, value) in live.enumerated().reversed() {
      positions[value.sorted, default: []].append(index)
    }
    var old = recorded.indices.filter { positions[recorded[$0].sorted]?.popLast() == nil }
    var new = positions.values.joined().sorted()
    // Elements that differ only as a matcher allows are found by comparing all pairs.
    if !rules.isEmpty, old.count * new.count <= Self.arrayLimit * Self.arrayLimit {
      old = old.filter { index in
        let found = new.firstIndex { position in
          agrees(recorded[index], live[position], rules.after { $0.after(position) })
        }
        if let found { new.remove(at: found) }
        return found == nil
      }
    }
    pair(old, new, recorded, live, at: path, rules)
  }

  /// Compares the unmatched elements in order, and reports the remaining ones as missing or new.
  private mutating func pair(
    _ old: [Int], _ new: [Int], _ recorded: [JSON], _ live: [JSON], at path: String,
    _ rules: [PathRule]
  ) {
    for (index, position) in zip(old, new) {
      compare(
        recorded[index], live[position], at: "\(path)[\(position)]",
        rules.after { $0.after(position) })
    }
    for index in old.dropFirst(new.count) where !rules.after({ $0.after(index) }).ignore {
      add(.missing(path: "\(path)[\(index)]", recorded: recorded[index].typed))
    }
    for index in new.dropFirst(old.count) where !rules.after({ $0.after(index) }).ignore {
      add(.new(path: "\(path)[\(index)]", live: live[index].typed))
    }
  }

  private func agrees(_ recorded: JSON, _ live: JSON, _ rules: [PathRule]) -> Bool {
    var comparison = JSONComparison()
    comparison.compare(recorded, live, at: "", rules)
    return comparison.changes.isEmpty
  }
}

extension JSONPath {
  /// The text of the step to a member.
  static func step(_ name: String) -> String {
    let isPlain =
      !name.isEmpty
      && name.utf8.allSatisfy {
        (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20) || $0 == 0x5F || $0 == 0x2D
      }
    return isPlain ? ".\(name)" : "['\(name.prefix(60))']"
  }

  /// The steps of a path, none for `$`; `nil` if the text is not a path.
  static func steps(of text: String) -> ArraySlice<Step>? {
    text == "$" ? [] : JSONPath(text)?.steps[...]
  }
}

extension [JSONComparison.PathRule] {
  /// The rules one step further down.
  fileprivate func after(
    _ step: (ArraySlice<JSONPath.Step>) -> [ArraySlice<JSONPath.Step>]
  ) -> Self {
    flatMap { rule in step(rule.rest).map { .init(rest: $0, rule: rule.rule) } }
  }

  /// Whether the value may be missing.
  fileprivate var ignore: Bool { last { $0.rest.isEmpty }?.rule == .ignored }
}

extension JSON {
  /// Whether the value is an array or an object.
  var isContainer: Bool {
    switch self {
    case .array, .object: true
    case .null, .bool, .number, .string: false
    }
  }

  /// The type's name.
  var typeName: String {
    switch self {
    case .null: "null"
    case .bool: "a Boolean"
    case .number: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }

  /// A short text of the value.
  var summary: String {
    switch self {
    case .null: "null"
    case .bool(let value): "\(value)"
    case .number(let text): String(text.prefix(40))
    case .string(let text): text.prefix(80).debugDescription
    case .array(let elements): "an array of \(elements.count)"
    case .object(let members): "an object of \(members.count)"
    }
  }

  /// The type and the value.
  var typed: String {
    switch self {
    case .number, .string: "\(typeName) \(summary)"
    case .null, .bool, .array, .object: summary
    }
  }

  /// Whether both are the same value, however numbers are written.
  func isEqual(to other: JSON) -> Bool {
    switch (self, other) {
    case (.number(let left), .number(let right)):
      if left == right { return true }
      // Two whole numbers differ even where a Double holds neither.
      if let left = Int(left), let right = Int(right) { return left == right }
      guard let left = Double(left), let right = Double(right) else { return false }
      return left == right && left.isFinite
    case (.array(let left), .array(let right)):
      return left.count == right.count && zip(left, right).allSatisfy { $0.isEqual(to: $1) }
    case (.object(let left), .object(let right)):
      guard left.count == right.count else { return false }
      let values = Dictionary(
        right.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
      return left.allSatisfy { values[$0.name]?.isEqual(to: $0.value) ?? false }
    default: return self == other
    }
  }
}
