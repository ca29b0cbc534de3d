/// Reads the protocols and types that a Swift file declares.
///
/// It reads declarations only: bodies of functions are skipped, and a file that does not compile is
/// read as far as its declarations go.
struct SourceReader {
  private(set) var protocols: [ProtocolDeclaration] = []
  private(set) var types: [TypeDeclaration] = []

  private var tokens: [SourceToken]
  private var index = 0
  private var imports: [String] = []
  /// The index in `types` of the type whose members are read.
  private var enclosing: Int?

  /// Reads a file's text.
  init(_ text: String) {
    tokens = SourceTokens.tokens(of: text)
    readDeclarations(in: [], access: "internal")
    for index in protocols.indices { protocols[index].imports = imports }
  }

  // MARK: - Tokens

  private var current: SourceToken? { index < tokens.count ? tokens[index] : nil }

  private func isNext(_ text: String) -> Bool { current?.text == text }

  private mutating func skip(_ text: String) -> Bool {
    guard isNext(text) else { return false }
    index += 1
    return true
  }

  private mutating func word() -> String? {
    guard let token = current, token.isWord else { return nil }
    index += 1
    return token.text
  }

  /// Takes the tokens from an opening bracket to the one that closes it, or none.
  private mutating func brackets(_ open: String) -> ArraySlice<SourceToken> {
    guard isNext(open) else { return [] }
    let pairs = ["(": ")", "[": "]", "{": "}", "<": ">"]
    let start = index
    var depth = 0
    while let token = current {
      if token.text == open { depth += 1 }
      if token.text == pairs[open] { depth -= 1 }
      index += 1
      if depth == 0 { break }
    }
    return tokens[start..<index]
  }

  /// Takes tokens up to the end of a type, a clause or a list of them: a word in `ends`, a bracket that
  /// was not opened, a `;`, or the first token of a line that can't continue it.
  private mutating func run(until ends: Set<String> = []) -> ArraySlice<SourceToken> {
    let start = index
    let continues: Set = ["&", "->", ":", ",", ".", "=", "any", "some", "where", "("]
    var depth = 0
    while let token = current {
      if depth == 0 {
        if ends.contains(token.text) || [";", "{", "}", ")", "]"].contains(token.text) { break }
        let isContinued =
          index == start || continues.contains(tokens[index - 1].text)
          || ["&", "->", ".", ",", ":", "=", "?", "<"].contains(token.text)
        if token.beginsLine, !isContinued { break }
      }
      if ["(", "[", "<"].contains(token.text) { depth += 1 }
      if [")", "]", ">"].contains(token.text) { depth -= 1 }
      index += 1
    }
    return tokens[start..<index]
  }

  // MARK: - Declarations

  /// What stands before a declaration.
  private struct Prefix {
    var access: String?
    var attributes: [String] = []
    var words: Set<String> = []
    var documentation: [String] = []
  }

  private static let modifiers: Set = [
    "public", "package", "internal", "fileprivate", "private", "open", "final", "indirect",
    "static",
    "class", "mutating", "nonmutating", "nonisolated", "distributed", "isolated", "override",
    "required", "convenience", "weak", "unowned", "lazy", "dynamic", "consuming", "borrowing",
  ]

  /// Takes attributes and modifiers.
  private mutating func prefix() -> Prefix {
    var prefix = Prefix(documentation: current?.documentation ?? [])
    while let token = current {
      if token.text == "@" {
        index += 1
        var name = word() ?? ""
        while skip(".") { name += "." + (word() ?? "") }
        let arguments = isNext("(") && current?.beginsLine == false ? brackets("(") : []
        prefix.attributes.append("@" + name + arguments.source)
        if prefix.documentation.isEmpty { prefix.documentation = current?.documentation ?? [] }
      } else if Self.modifiers.contains(token.text), isModifier(token.text) {
        index += 1
        prefix.words.insert(token.text)
        let isAccess = ["public", "package", "internal", "fileprivate", "private", "open"].contains(
          token.text)
        if isNext("(") { _ = brackets("(") } else if isAccess { prefix.access = token.text }
      } else {
        break
      }
    }
    return prefix
  }

  /// Whether a word that is both is a modifier here: `class` before a name declares a class.
  private func isModifier(_ word: String) -> Bool {
    guard word == "class", index + 1 < tokens.count else { return true }
    return ["func", "var", "subscript", "final"].contains(tokens[index + 1].text)
  }

  private mutating func readDeclarations(in path: [String], access outer: String) {
    while let token = current, token.text != "}" {
      let prefix = prefix()
      guard let token = current else { return }
      let access = prefix.access == "open" ? "public" : prefix.access ?? outer
      switch token.text {
      case "import":
        index += 1
        readImport()
      case "protocol":
        index += 1
        if let name = word() {
          readProtocol((path + [name]).joined(separator: "."), access, prefix)
        }
      case "struct", "enum", "class", "actor", "extension":
        let isDeclaration = index + 1 < tokens.count && tokens[index + 1].isWord
        index += 1
        if isDeclaration { readType(token.text, in: path, access, prefix) }
      case "typealias":
        index += 1
        readAlias(in: path, access)
      case "init", "var", "let", "case":
        let isMember = index == 0 || tokens[index - 1].text != "."
        index += 1
        if let enclosing, isMember { readMember(token.text, of: enclosing, prefix, access) }
      case "{": _ = brackets("{")
      case "(": _ = brackets("(")
      case "}": return
      default: index += 1
      }
    }
  }

  private mutating func readImport() {
    let kinds: Set = ["struct", "class", "enum", "protocol", "func", "var", "let", "typealias"]
    if let kind = current?.text, kinds.contains(kind), tokens.count > index + 1,
      tokens[index + 1].isWord, !tokens[index + 1].beginsLine
    {
      index += 1
    }
    if let module = word(), !imports.contains(module) { imports.append(module) }
    while isNext(".") {
      index += 1
      _ = word()
    }
  }

  private mutating func readType(
    _ kind: String, in path: [String], _ access: String, _ prefix: Prefix
  ) {
    var name = word() ?? ""
    while skip(".") { name += "." + (word() ?? "") }
    let path = path + [name]
    var type = TypeDeclaration(name: path.joined(separator: "."), kind: kind, access: access)
    type.isIsolated = prefix.attributes.contains(where: ProtocolDeclaration.isIsolation)
    type.isGeneric = !brackets("<").isEmpty
    if skip(":") { type.inherits = inheritance() }
    if skip("where") { _ = run(until: ["{"]) }
    guard skip("{") else { return }
    types.append(type)
    let around = enclosing
    enclosing = types.count - 1
    // Members of a type are not public because the type is; those of an extension may be.
    let inner = kind == "extension" ? prefix.access ?? "internal" : "internal"
    readDeclarations(in: path, access: inner)
    enclosing = around
    _ = skip("}")
  }

  private mutating func readAlias(in path: [String], _ access: String) {
    guard let word = word() else { return }
    let name = (path + [word]).joined(separator: ".")
    var alias = TypeDeclaration(name: name, kind: "typealias", access: access)
    _ = brackets("<")
    guard skip("=") else { return }
    alias.aliased = run().source
    types.append(alias)
  }

  /// Reads an initializer, a stored property or cases.
  private mutating func readMember(
    _ keyword: String, of type: Int, _ prefix: Prefix, _ access: String
  ) {
    switch keyword {
    case "init":
      if let found = initializer() { types[type].initializers.append((access, found)) }
    case "case":
      if types[type].kind == "enum" { readCases(of: type) }
    default:
      guard prefix.words.isDisjoint(with: ["static", "class", "lazy"]) else { return }
      let found = storedProperties(of: type, isConstant: keyword == "let")
      guard !found.isEmpty else { return }
      let isHidden = ["private", "fileprivate"].contains(access)
      types[type].hidesMembers = types[type].hidesMembers || isHidden || !prefix.attributes.isEmpty
      types[type].stored += found
    }
  }

  private mutating func readCases(of type: Int) {
    repeat {
      guard let name = word() else { return }
      let values = brackets("(").dropFirst().dropLast()
      let parts = TypeText.split(values.source, at: ",").filter { !$0.isEmpty }
      types[type].cases.append(
        TypeDeclaration.Case(
          name: name,
          values: parts.map { part in
            // `[Key: Value]` has no label.
            (part.hasPrefix("[") || part.hasPrefix("(") ? nil : Self.parameter(part))
              ?? Requirement.Parameter(label: nil, name: "value", type: part)
          }))
      if skip("=") { _ = run(until: [","]) }
    } while skip(",")
  }

  /// Reads properties after their keyword.
  ///
  /// - Returns: None for a computed property, and for one that no memberwise initializer takes.
  private mutating func storedProperties(
    of owner: Int, isConstant: Bool
  ) -> [Requirement.Parameter] {
    var found: [Requirement.Parameter] = []
    repeat {
      guard let name = word() else { return found }
      var type = ""
      if skip(":") {
        type = run(until: ["=", ","]).source
        // `var a, b: Int`
        for index in found.indices where found[index].type.isEmpty && !found[index].hasDefault {
          found[index].type = type
        }
      }
      let hasDefault = skip("=")
      if name == "id" {
        let made = hasDefault && index + 1 < tokens.count && tokens[index + 1].text == "("
        types[owner].idType = type.isEmpty ? made ? current?.text : nil : type
      }
      if !hasDefault, isNext("{") {
        let body = brackets("{")
        guard body.contains(where: { ["didSet", "willSet"].contains($0.text) }) else { return [] }
      }
      guard !hasDefault else {
        // What follows the value is not read: it may have any form.
        if !isConstant {
          found.append(.init(label: name, name: name, type: type, hasDefault: true))
        }
        return found
      }
      found.append(.init(label: name, name: name, type: type))
    } while skip(",")
    return found
  }

  /// The types after a colon, without `@unchecked` and the like.
  private mutating func inheritance() -> [String] {
    let tokens = run(until: ["where"])
    return TypeText.split(tokens.source, at: ",").flatMap { TypeText.split($0, at: "&") }.map {
      $0.split(separator: " ").filter { !$0.hasPrefix("@") && $0 != "nonisolated" }
        .joined(separator: " ")
    }
    .filter { !$0.isEmpty }
  }

  // MARK: - Protocols

  private mutating func readProtocol(_ name: String, _ access: String, _ prefix: Prefix) {
    var port = ProtocolDeclaration(name: name, access: access)
    port.attributes = prefix.attributes
    port.documentation = prefix.documentation
    if isNext("<") {
      port.primaryTypes = TypeText.split(
        String(brackets("<").source.dropFirst().dropLast()), at: ",")
    }
    if skip(":") { port.inherits = inheritance() }
    let constraints = skip("where") ? run(until: ["{"]).source : ""
    guard skip("{") else { return }
    while let token = current, token.text != "}" {
      if token.text.hasPrefix("#") {
        port.isConditional = port.isConditional || token.text == "#if"
        index += 1
        skipLine()
        continue
      }
      readRequirement(into: &port)
    }
    _ = skip("}")
    if !constraints.isEmpty { constrain(&port, constraints) }
    protocols.append(port)
  }

  private mutating func skipLine() {
    while let token = current, !token.beginsLine { index += 1 }
  }

  private func constrain(_ port: inout ProtocolDeclaration, _ clause: String) {
    for part in TypeText.split(clause, at: ",") {
      let sides = TypeText.split(part, at: ":")
      let subject = sides[0].hasPrefix("Self.") ? String(sides[0].dropFirst(5)) : sides[0]
      if sides.count == 2, subject == "Self" {
        port.inherits += TypeText.split(sides[1], at: "&")
      } else if sides.count == 2,
        let index = port.associatedTypes.firstIndex(where: { $0.name == subject })
      {
        port.associatedTypes[index].constraints += TypeText.split(sides[1], at: "&")
      } else {
        // The id of a sample is an `Int`, which satisfies these.
        let known: Set = ["Sendable", "Hashable", "Equatable", "Codable", "Comparable"]
        let constraints = sides.count == 2 ? TypeText.split(sides[1], at: "&") : []
        for index in port.associatedTypes.indices {
          let name = port.associatedTypes[index].name
          if subject == name + ".ID", !constraints.isEmpty, known.isSuperset(of: constraints) {
            port.associatedTypes[index].idConstraints += constraints
          } else if TypeText(part.replacing("Self.", with: "")).mentions(name) {
            port.associatedTypes[index].hasOtherConstraints = true
          }
        }
      }
    }
  }

  private mutating func readRequirement(into port: inout ProtocolDeclaration) {
    let start = index
    let prefix = prefix()
    guard let keyword = current?.text else { return }
    index += 1
    var requirement: Requirement?
    switch keyword {
    case "func": requirement = function()
    case "var", "let": requirement = property()
    case "init": requirement = initializer()
    case "subscript": requirement = subscripting()
    case "associatedtype": readAssociatedType(into: &port)
    case "typealias": _ = run()
    case ";": break
    default:
      skipLine()
      port.unread.append(tokens[start..<index].source)
    }
    guard var found = requirement else {
      if ["func", "var", "let", "init", "subscript"].contains(keyword) {
        skipLine()
        port.unread.append(tokens[start..<index].source)
      }
      return
    }
    found.isStatic = !prefix.words.isDisjoint(with: ["static", "class"])
    found.isMutating = prefix.words.contains("mutating")
    found.isNonisolated = prefix.words.contains("nonisolated")
    found.documentation = prefix.documentation
    port.requirements.append(found)
  }

  private mutating func function() -> Requirement? {
    guard let first = current else { return nil }
    var name = first.text
    index += 1
    let isOperator = !first.isWord
    while isOperator, let token = current, token.text != "(", !token.isWord, !token.beginsLine {
      // A generic operator's `<` follows a space.
      if token.text == "<", token.range.lowerBound > tokens[index - 1].range.upperBound { break }
      name += token.text
      index += 1
    }
    var found = Requirement(kind: isOperator ? .operatorFunction : .function, name: name)
    found.generics = brackets("<").source
    guard let parameters = parameters() else { return nil }
    found.parameters = parameters
    readSignature(into: &found)
    return found
  }

  private mutating func initializer() -> Requirement? {
    var found = Requirement(kind: .initializer, name: "init")
    if isNext("?") || isNext("!") {
      found.failure = current?.text ?? ""
      index += 1
    }
    found.generics = brackets("<").source
    guard let parameters = parameters() else { return nil }
    found.parameters = parameters
    readSignature(into: &found)
    return found
  }

  private mutating func subscripting() -> Requirement? {
    var found = Requirement(kind: .subscripting, name: "subscript")
    found.generics = brackets("<").source
    guard var parameters = parameters() else { return nil }
    // The only name of a subscript's parameter is no label.
    for index in parameters.indices where parameters[index].label == parameters[index].name {
      parameters[index].label = nil
    }
    found.parameters = parameters
    readSignature(into: &found)
    readAccessors(into: &found)
    return found
  }

  private mutating func property() -> Requirement? {
    guard let name = word(), skip(":") else { return nil }
    var found = Requirement(kind: .property, name: name)
    found.result = run(until: ["where"]).source
    readAccessors(into: &found)
    return found.result?.isEmpty == true ? nil : found
  }

  private mutating func readAccessors(into found: inout Requirement) {
    guard isNext("{") else { return }
    let body = brackets("{")
    let rest = Array(body)
    found.isSettable = rest.contains { $0.text == "set" }
    found.isSetterMutating = found.isSettable && !rest.contains { $0.text == "nonmutating" }
    found.isAsync = rest.contains { $0.text == "async" }
    guard let place = rest.firstIndex(where: { $0.text == "throws" }) else { return }
    found.throwing = .anyError
    guard place + 1 < rest.count, rest[place + 1].text == "(" else { return }
    let type = rest[(place + 2)...].prefix { $0.text != ")" }
    found.throwing = Self.throwing(type.source)
  }

  private mutating func parameters() -> [Requirement.Parameter]? {
    guard isNext("(") else { return nil }
    let list = brackets("(").dropFirst().dropLast().map { token in
      var token = token
      // A default value may have brackets and commas.
      if token.text.contains("\"") { token.text = "\"\"" }
      return token
    }
    return TypeText.split(list.source, at: ",").filter { !$0.isEmpty }
      .compactMap(Self.parameter)
  }

  private static func parameter(_ text: String) -> Requirement.Parameter? {
    let sides = text.split(separator: ":", maxSplits: 1).map(String.init)
    guard sides.count == 2 else { return nil }
    let names = sides[0].split(separator: " ").filter { !$0.hasPrefix("@") }.map(String.init)
    guard let label = names.first else { return nil }
    let parts = TypeText.split(sides[1], at: "=")
    return Requirement.Parameter(
      label: label == "_" ? nil : label, name: names.last ?? label, type: parts[0],
      hasDefault: parts.count > 1)
  }

  private mutating func readSignature(into found: inout Requirement) {
    while let token = current, ["async", "throws", "rethrows", "reasync"].contains(token.text) {
      index += 1
      switch token.text {
      case "async": found.isAsync = true
      case "throws":
        found.throwing =
          isNext("(")
          ? Self.throwing(String(brackets("(").source.dropFirst().dropLast())) : .anyError
      case "rethrows": found.throwing = .rethrown
      default: break
      }
    }
    if skip("->") {
      let type = run(until: ["where"]).source
      found.result = ["Void", "()", "Swift.Void"].contains(type) ? nil : type
    }
    if skip("where") { found.constraints = run().source }
  }

  private static func throwing(_ type: String) -> Requirement.Throwing {
    switch type {
    case "Never": .nothing
    case "any Error", "Error", "any Swift.Error": .anyError
    default: .typed(type)
    }
  }

  private mutating func readAssociatedType(into port: inout ProtocolDeclaration) {
    guard let name = word() else { return }
    var type = AssociatedType(name: name, constraints: [])
    if skip(":") {
      type.constraints = TypeText.split(run(until: ["where", "="]).source, at: ",")
        .flatMap { TypeText.split($0, at: "&") }
    }
    if skip("=") { _ = run(until: ["where"]) }
    port.associatedTypes.append(type)
    if skip("where") { constrain(&port, run().source) }
  }
}

extension ProtocolDeclaration {
  /// Whether an attribute is a global actor, such as `@MainActor`.
  static func isIsolation(_ attribute: String) -> Bool {
    let others: Set = [
      "@available", "@objc", "@preconcurrency", "@frozen", "@usableFromInline", "@inlinable",
      "@dynamicMemberLookup", "@dynamicCallable", "@discardableResult", "@unchecked",
      "@retroactive",
      "@propertyWrapper", "@resultBuilder", "@main", "@Observable", "@testable",
    ]
    let name = String(attribute.prefix { $0 != "(" })
    return !others.contains(name) && !name.hasPrefix("@_")
  }

  /// The global actor that isolates the protocol, with its `@`, or `nil`.
  var isolation: String? { attributes.first(where: Self.isIsolation) }
}
