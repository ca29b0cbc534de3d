import Foundation

/// Compares values by what they are made of.
enum StructuralComparison {
  /// Where two values differ, as a path, with what is there.
  struct Difference {
    var path: String
    var left: Any
    var right: Any
  }

  /// Returns the first difference, or `nil` if the values are alike.
  static func difference(
    _ left: Any, _ right: Any, apartFrom correspondences: Correspondences = .init()
  ) -> Difference? {
    var comparison = Walk(ignoresMessages: false, apartFrom: correspondences)
    return comparison.difference(left, right, at: "", depth: 0)
  }

  /// Returns the parts that differ and have no parts. Collections have none: their order may differ.
  static func differingParts(_ left: Any, _ right: Any) -> [(left: Any, right: Any)] {
    guard type(of: left) == type(of: right), isEqual(left, right) != true else { return [] }
    let pairs = (Mirror(reflecting: left), Mirror(reflecting: right))
    switch pairs.0.displayStyle {
    case .collection, .set, .dictionary, .class: return []
    default: break
    }
    // Enumerations may have different cases.
    guard pairs.0.children.map(\.label) == pairs.1.children.map(\.label) else { return [] }
    guard !pairs.0.children.isEmpty else { return [(left, right)] }
    return zip(pairs.0.children, pairs.1.children).flatMap { differingParts($0.value, $1.value) }
  }

  /// Whether two errors have the same type and case, and associated values that are alike, apart from
  /// messages for people.
  static func areAlike(
    _ left: any Error, _ right: any Error, apartFrom correspondences: Correspondences = .init()
  ) -> Bool {
    if type(of: left) == type(of: right), let one = left as? any CustomNSError,
      let other = right as? any CustomNSError
    {
      return one.errorCode == other.errorCode
        && type(of: one).errorDomain == type(of: other).errorDomain
    }
    if type(of: left) == NSError.self, type(of: right) == NSError.self {
      let (one, other) = (left as NSError, right as NSError)
      return one.code == other.code && one.domain == other.domain
    }
    var comparison = Walk(ignoresMessages: true, apartFrom: correspondences)
    return comparison.difference(left, right, at: "", depth: 0) == nil
  }

  private static func isEqual(_ left: Any, _ right: Any) -> Bool? {
    func compare<Value: Equatable>(_ value: Value) -> Bool { value == right as? Value }
    return (left as? any Equatable).map { compare($0) }
  }

  private struct Walk {
    let ignoresMessages: Bool
    let correspondences: Correspondences
    /// Whether values were alike only because they correspond.
    private var usesCorrespondence = false
    /// The pairs of instances that are being compared, which may contain themselves.
    private var visited: Set<[ObjectIdentifier]> = []

    init(ignoresMessages: Bool, apartFrom correspondences: Correspondences) {
      self.ignoresMessages = ignoresMessages
      self.correspondences = correspondences
    }

    mutating func difference(_ left: Any, _ right: Any, at path: String, depth: Int) -> Difference?
    {
      let difference = Difference(path: path, left: left, right: right)
      let (mine, its) = (Mirror(reflecting: left), Mirror(reflecting: right))
      if mine.displayStyle == .class, its.displayStyle == .class,
        type(of: left) != type(of: right)
      {
        // Handles of two implementations: what they are is not part of the answer.
        return nil
      }
      guard type(of: left) == type(of: right) else { return difference }
      if isNaN(left), isNaN(right) { return nil }
      if let equal = StructuralComparison.isEqual(left, right) {
        if equal { return nil }
        if correspondences.contains(left, right, at: ignoresMessages ? nil : path) {
          usesCorrespondence = true
          return nil
        }
        // A value that does not equal itself contains NaN, and an error may contain messages.
        if !ignoresMessages, StructuralComparison.isEqual(left, left) == true {
          return isAlikeByCorrespondence(mine, its, at: path, depth) ? nil : difference
        }
      }
      if mine.displayStyle == .class {
        let pair = [ObjectIdentifier(left as AnyObject), ObjectIdentifier(right as AnyObject)]
        guard pair[0] != pair[1], visited.insert(pair).inserted else { return nil }
      }
      guard depth < 32 else { return nil }
      if allChildren(mine).isEmpty, allChildren(its).isEmpty {
        // Enumerations without associated values, and values that hide what they hold.
        return mine.displayStyle == .class || isFunction(left) || "\(left)" == "\(right)"
          ? nil : difference
      }
      return childDifference(mine, its, difference, depth)
    }

    /// Whether the parts of two values that are not equal are alike, and some of them only because they correspond.
    private mutating func isAlikeByCorrespondence(
      _ mine: Mirror, _ its: Mirror, at path: String, _ depth: Int
    ) -> Bool {
      guard !correspondences.isEmpty, depth < 32, !mine.children.isEmpty else { return false }
      var walk = self
      walk.usesCorrespondence = false
      let whole = Difference(path: path, left: mine.subjectType, right: its.subjectType)
      guard walk.childDifference(mine, its, whole, depth) == nil, walk.usesCorrespondence else {
        return false
      }
      usesCorrespondence = true
      return true
    }

    /// The first difference of the parts of two values, or the whole one if their parts cannot be compared.
    private mutating func childDifference(
      _ mine: Mirror, _ its: Mirror, _ difference: Difference, _ depth: Int
    ) -> Difference? {
      if mine.displayStyle == .set || mine.displayStyle == .dictionary {
        return isPermutation(Array(mine.children), Array(its.children), depth)
          ? nil : difference
      }
      let pairs = (allChildren(mine), allChildren(its))
      guard pairs.0.count == pairs.1.count else { return difference }
      for (index, (one, other)) in zip(pairs.0, pairs.1).enumerated() {
        guard one.label == other.label else { return difference }
        if ignoresMessages, isMessage(one.label, one.value, other.value) { continue }
        let name =
          mine.displayStyle == .optional
          ? "?" : one.label.map { Int($0.dropFirst()) == nil ? ".\($0)" : $0 } ?? "[\(index)]"
        let path = difference.path + name
        if let found = self.difference(one.value, other.value, at: path, depth: depth + 1) {
          return found
        }
      }
      return nil
    }

    private func allChildren(_ mirror: Mirror) -> [Mirror.Child] {
      (mirror.superclassMirror.map { allChildren($0) } ?? []) + Array(mirror.children)
    }

    /// Whether each element of one collection has one of the other that is like it.
    private mutating func isPermutation(
      _ left: [Mirror.Child], _ right: [Mirror.Child], _ depth: Int
    ) -> Bool {
      guard left.count == right.count else { return false }
      var rest = right
      for element in left {
        guard
          let match = rest.firstIndex(where: {
            difference(element.value, $0.value, at: "", depth: depth + 1) == nil
          })
        else { return false }
        rest.remove(at: match)
      }
      return true
    }

    private func isNaN(_ value: Any) -> Bool {
      func isNaN<Number: FloatingPoint>(_ number: Number) -> Bool { number.isNaN }
      return (value as? any FloatingPoint).map { isNaN($0) } ?? false
    }

    private func isFunction(_ value: Any) -> Bool { "\(type(of: value))".contains("->") }

    private func isMessage(_ label: String?, _ left: Any, _ right: Any) -> Bool {
      guard let one = left as? String, let other = right as? String else { return false }
      return ["message", "reason", "description", "detail", "localizedDescription"].contains(label)
        || one.contains(" ") && other.contains(" ") || one.contains("0x") && other.contains("0x")
    }
  }
}
