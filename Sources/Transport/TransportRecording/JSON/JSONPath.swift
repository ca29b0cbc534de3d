/// Names values inside JSON: `user.password`, `$.items[*].token`, `keys[0]`, `$..secret`.
///
/// A small part of RFC 9535: names, `*`, indexes, and `..` before a name. A name in `['…']` may
/// contain any character but the quotation mark.
struct JSONPath: Sendable, Hashable {
  enum Step: Sendable, Hashable {
    case name(String)
    case index(Int)
    case any
    /// A name at any depth.
    case descendant(String)
  }

  let steps: [Step]

  /// Reads a path; `nil` if the text is none.
  init?(_ text: String) {
    var rest = Substring(text)
    if rest.first == "$" { rest = rest.dropFirst() } else { rest = "." + rest }
    var steps: [Step] = []
    while !rest.isEmpty {
      guard let step = Self.step(from: &rest) else { return nil }
      steps.append(step)
    }
    guard !steps.isEmpty else { return nil }
    self.steps = steps
  }

  private static func step(from rest: inout Substring) -> Step? {
    if rest.hasPrefix("['") {
      rest = rest.dropFirst(2)
      guard let end = rest.firstRange(of: "']") else { return nil }
      defer { rest = rest[end.upperBound...] }
      return .name(String(rest[..<end.lowerBound]))
    }
    if rest.first == "[" {
      guard let end = rest.firstIndex(of: "]") else { return nil }
      let inside = rest[rest.index(after: rest.startIndex)..<end]
      rest = rest[rest.index(after: end)...]
      if inside == "*" { return .any }
      return Int(inside).flatMap { $0 >= 0 ? .index($0) : nil }
    }
    let isDescendant = rest.hasPrefix("..")
    guard rest.first == "." else { return nil }
    rest = rest.dropFirst(isDescendant ? 2 : 1)
    let name = String(rest.prefix { $0 != "." && $0 != "[" })
    rest = rest.dropFirst(name.count)
    guard !name.isEmpty else { return nil }
    if isDescendant { return name == "*" ? nil : .descendant(name) }
    return name == "*" ? .any : .name(name)
  }
}

extension JSONPath {
  /// The ranges of the values that any of the paths names, in order, without overlap.
  ///
  /// - Throws: ``JSONFailure`` if the text is not JSON.
  static func ranges(of paths: [JSONPath], in bytes: [UInt8]) throws -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    try JSONReader.read(bytes) { try find(paths.map { $0.steps[...] }, in: &$0, &ranges) }
    return ranges
  }

  private static func find(
    _ paths: [ArraySlice<Step>], in reader: inout JSONReader, _ ranges: inout [Range<Int>]
  ) throws {
    let first = reader.next()
    if paths.contains(where: \.isEmpty) {
      let start = reader.offset
      try reader.skip()
      ranges.append(start..<reader.offset)
    } else if paths.isEmpty {
      try reader.skip()
    } else if first == UInt8(ascii: "{") {
      try reader.object(unique: false) { name, reader in
        try find(paths.flatMap { $0.after(name) }, in: &reader, &ranges)
      }
    } else if first == UInt8(ascii: "[") {
      try reader.array { index, reader in
        try find(paths.flatMap { $0.after(index) }, in: &reader, &ranges)
      }
    } else {
      try reader.skip()
    }
  }
}

extension ArraySlice<JSONPath.Step> {
  /// The rest of the path inside the member of an object.
  func after(_ name: String) -> [Self] {
    switch first {
    case .name(name), .any: [dropFirst()]
    case .descendant(name): [self, dropFirst()]
    case .descendant: [self]
    default: []
    }
  }

  /// The rest of the path inside the element of an array.
  func after(_ index: Int) -> [Self] {
    switch first {
    case .index(index), .any: [dropFirst()]
    case .descendant: [self]
    default: []
    }
  }
}
