/// Writes domains for the values of a package's types: each is made of its parts, which have domains too.
struct DomainSources {
  /// A constant with a domain.
  struct Constant {
    var name: String
    var type: String
    /// The expression, or `nil` if no values are known.
    var source: String?
  }

  /// Names of types of Testing, Foundation and this package that apps use too, and that are ambiguous with
  /// several such modules imported.
  private static let sharedNames: Set = [
    "Attachment", "Bug", "Bundle", "Calendar", "Clause", "Comment", "Confirmation", "Contract",
    "Dimension", "Domain", "Event", "Expression", "Formatter", "Host", "Implementation", "Issue",
    "Measurement", "Notification", "Observation", "Operation", "Pipe", "Port", "Predicate",
    "Process", "Progress", "Scanner", "SortDescriptor", "SortOrder", "Stream", "Tag", "Test",
    "Thread", "Timer", "Trait", "Unit",
  ]

  private let sources: PackageSources
  /// The names of ambiguous types with the module that declares them.
  private let spelling: [String: String]
  /// Whether the tests see only what is `public` or `package`.
  private let seesPublicOnly: Bool
  /// The names of the constants for types of the package; `nil` where no values are known.
  private var names: [String: String?] = [:]
  /// The constants of types and their parts, also of some that nothing uses.
  private var constants: [Constant] = []
  /// Cases and parameters with a default value for which no values are known: `JSON.array`.
  private(set) var gaps: [String] = []
  /// The types of arguments by the names of their constants.
  private let arguments: [String: String]

  /// - Parameter module: The module that declares the types.
  init(
    _ sources: PackageSources, module: String, seesPublicOnly: Bool, arguments: [String: String]
  ) {
    self.sources = sources
    let shared = Self.sharedNames.filter { !sources.declarations(of: $0).isEmpty }
    spelling = Dictionary(uniqueKeysWithValues: shared.map { ($0, "\(module).\($0)") })
    self.seesPublicOnly = seesPublicOnly
    self.arguments = arguments
  }

  /// The constants of arguments, and those that they use.
  ///
  /// - Parameter names: The names of constants that operations use themselves.
  func constants(for arguments: [Constant], named names: Set<String>) -> [Constant] {
    var used = arguments + constants.filter { names.contains($0.name) }
    var next = 0
    while next < used.count {
      let source = TypeText(used[next].source ?? "")
      used += constants.filter { one in
        source.mentions(Identifier.plain(one.name)) && !used.contains { $0.name == one.name }
      }
      next += 1
    }
    return used.map { Constant(name: $0.name, type: spelled($0.type), source: $0.source) }
  }

  /// A type as the tests write it.
  func spelled(_ type: String) -> String { TypeText(type).replacing(spelling) }

  /// The words of the name of a type's domain.
  static func words(of type: String) -> [String] {
    type.split { !$0.isLetter && !$0.isNumber }.flatMap { Identifier.words(String($0)) }
  }

  /// An expression for a domain, chosen by the words of the argument's name.
  ///
  /// - Parameter type: A resolved type.
  mutating func source(of type: String, _ words: [String]) -> String? {
    if let simple = Self.simple(type, words) { return simple }
    let text = TypeText(type)
    if let wrapped = text.wrapped { return source(of: wrapped, words).map { ".optional(\($0))" } }
    if let (kind, types) = text.elements, let elements = elements(kind, types, words) {
      return elements
    }
    return constant(for: type)
  }

  private static func simple(_ type: String, _ words: [String]) -> String? {
    func mean(_ some: String...) -> Bool { words.contains { some.contains($0) } }
    switch type {
    case "String":
      if mean("path", "file", "folder", "directory") { return ".paths" }
      // Most other texts name something, and calls must meet in what they name.
      return mean("text", "body", "title", "message", "content", "value", "comment", "query")
        ? ".texts" : ".keys"
    case "Bool": return ".booleans"
    case "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64":
      return ".smallIntegers()"
    case "Data", "[UInt8]": return ".bytes"
    case "Double", "TimeInterval": return ".doubles"
    case "Float": return ".of(0, 1, -1, 0.5)"
    case "Decimal":
      return "Domain<Int>.smallIntegers(around: 100).map { Decimal($0) / 10 }"
    case "Date": return ".dates"
    case "UUID": return ".uuids"
    case "URL": return ".urls"
    case "Duration": return ".durations(around: .seconds(60))"
    // The sample is written with the other files.
    case "SampleValue": return ".of(SampleValue(id: 1), SampleValue(id: 2))"
    case "SampleValue.ID": return ".of(1, 2)"
    default: return nil
    }
  }

  private mutating func elements(
    _ kind: String, _ types: [String], _ words: [String]
  ) -> String? {
    var parts: [String] = []
    for type in types {
      guard let part = source(of: type, words) else { return nil }
      // In these expressions the compiler does not infer it.
      parts.append(part.hasPrefix(".") ? "Domain<\(spelled(type))>\(part)" : part)
    }
    return switch (kind, parts.count) {
    case ("tuple", 2...):
      ".combining(\(parts.joined(separator: ", "))) { (\(parts.indices.map { "$\($0)" }.joined(separator: ", "))) }"
    case ("array", 1): ".arrays(of: \(parts[0]))"
    case ("set", 1): "Domain<[\(spelled(types[0]))]>.arrays(of: \(parts[0])).map { Set($0) }"
    case ("dictionary", 2):
      ".oneOf(.of([[:]], named: \"empty\"), .combining(\(parts[0]), \(parts[1])) { [$0: $1] })"
    case ("closed range", 1):
      ".combining(\(parts[0]), \(parts[0])) { Swift.min($0, $1)...Swift.max($0, $1) }"
    case ("range", 1):
      ".combining(\(parts[0]), \(parts[0])) { Swift.min($0, $1)..<Swift.max($0, $1) }"
    default: nil
    }
  }

  // MARK: - Types of the package

  /// The name of the constant for a structure or enumeration.
  private mutating func constant(for type: String) -> String? {
    if let known = names[type] { return known }
    // Until its values are known: a type may contain itself.
    names[type] = .some(nil)
    let place = constants.count
    guard let source = values(of: type) else { return nil }
    let name = unusedName(Self.words(of: type), for: type)
    names[type] = name
    constants.insert(Constant(name: name, type: type, source: source), at: place)
    return name
  }

  private mutating func values(of type: String) -> String? {
    let declarations = sources.declarations(of: type)
    guard let own = declarations.first(where: { ["struct", "enum"].contains($0.kind) }),
      !own.isGeneric, canUse(own.access)
    else { return nil }
    if own.kind == "struct" { return structure(type, own, declarations) }
    if declarations.contains(where: { $0.inherits.contains("CaseIterable") }) {
      return ".allCases"
    }
    return enumeration(type, own)
  }

  private func canUse(_ access: String) -> Bool {
    seesPublicOnly
      ? ["public", "package"].contains(access) : !["private", "fileprivate"].contains(access)
  }

  private mutating func structure(
    _ type: String, _ own: TypeDeclaration, _ declarations: [TypeDeclaration]
  ) -> String? {
    var candidates = declarations.flatMap(\.initializers).filter { canUse($0.access) }
      .map(\.requirement)
      .filter { one in
        one.failure.isEmpty && !one.isAsync && one.throwing == .nothing && !one.isGeneric
      }
    if !seesPublicOnly, let memberwise = own.memberwise { candidates.append(memberwise) }
    // The more parts, the more values.
    for candidate in candidates.sorted(by: { $0.parameters.count > $1.parameters.count }) {
      if let made = making(type, candidate.parameters, in: type, named: Self.words(of: type)) {
        return made
      }
    }
    return nil
  }

  private mutating func enumeration(_ type: String, _ own: TypeDeclaration) -> String? {
    let plain = own.cases.filter(\.values.isEmpty).map { ".\($0.name)" }
    var parts = plain.isEmpty ? [] : [".of(\(plain.joined(separator: ", ")))"]
    for one in own.cases where !one.values.isEmpty {
      let words = Self.words(of: type) + Identifier.words(one.name)
      if let made = making("\(type).\(one.name)", one.values, in: type, named: words) {
        parts.append(made)
      } else {
        gaps.append("\(type).\(one.name)")
      }
    }
    return parts.count < 2 ? parts.first : ".oneOf(\(parts.joined(separator: ", ")))"
  }

  /// An expression that combines the domains of parameters.
  ///
  /// - Parameters:
  ///   - function: The initializer or case.
  ///   - scope: The type that declares it.
  ///   - words: The words that begin the names of the parts' domains.
  private mutating func making(
    _ function: String, _ parameters: [Requirement.Parameter], in scope: String,
    named words: [String]
  ) -> String? {
    var parts: [String] = []
    var arguments: [String] = []
    for parameter in parameters {
      let type = sources.resolved(parameter.type, in: scope)
      let isKnown = !parameter.isClosure && !parameter.isInOut && !parameter.isVariadic
      guard isKnown, let part = part(type, words, parameter.name) else {
        if parameter.hasDefault {
          gaps.append("\(parameter.name) of \(function)")
          continue
        }
        return nil
      }
      let label = parameter.label.map { "\($0): " } ?? ""
      arguments.append("\(label)$\(parts.count)")
      parts.append(part)
    }
    let function = spelled(function)
    guard !parts.isEmpty else { return ".of(\(function)())" }
    return
      ".combining(\(parts.joined(separator: ", "))) { \(function)(\(arguments.joined(separator: ", "))) }"
  }

  /// The name of a constant for a part of a value.
  private mutating func part(_ type: String, _ words: [String], _ name: String) -> String? {
    let nameWords = Identifier.words(name)
    guard let source = source(of: type, nameWords) else { return nil }
    // The constant of a type of the package.
    if !source.contains(where: { "(.<".contains($0) }) { return source }
    let constant = unusedName(words + nameWords, for: type)
    if !constants.contains(where: { $0.name == constant }) {
      constants.append(Constant(name: constant, type: type, source: source))
    }
    return constant
  }

  /// A name that no constant of another type has.
  private func unusedName(_ words: [String], for type: String) -> String {
    let kind = TypeText(type).wrapped == nil ? words + ["value"] : ["optional"] + words
    let candidates = [words, kind] + (2...99).map { words + ["\($0)"] }
    let name = candidates.lazy.map(Identifier.camel).first { name in
      arguments[name, default: type] == type
        && constants.allSatisfy { $0.name != name || $0.type == type }
    }
    return name ?? Identifier.camel(words)
  }
}
