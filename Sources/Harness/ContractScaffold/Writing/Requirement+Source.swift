/// Source that declares or calls a requirement.
extension Requirement {
  /// `async`, `throws` and the error's type, each with a space before it.
  var effects: String {
    let throwing: String =
      switch self.throwing {
      case .nothing: ""
      case .anyError: " throws"
      case .typed(let type): " throws(\(type))"
      case .rethrown: " rethrows"
      }
    return (isAsync ? " async" : "") + throwing
  }

  /// Whether a call needs `try`.
  var isThrowing: Bool { throwing != .nothing }

  /// `try ` and `await ` before a call.
  ///
  /// - Parameter isIsolated: Whether the call comes from outside the subject's isolation.
  func call(isIsolated: Bool) -> String {
    (isThrowing ? "try " : "") + (isAsync || isIsolated ? "await " : "")
  }

  /// The declaration up to the body of a function, or up to the type of a property.
  func declaration(access: String, isMutating: Bool) -> String {
    let modifiers =
      access + (isNonisolated ? "nonisolated " : "") + (isStatic ? "static " : "")
      + (isMutating ? "mutating " : "")
    let list = parameters.map { parameter in
      let names =
        parameter.label.map { $0 == parameter.name ? $0 : "\($0) \(parameter.name)" }
        ?? (kind == .subscripting ? parameter.name : "_ \(parameter.name)")
      return "\(names): \(parameter.type)"
    }.joined(separator: ", ")
    let tail =
      (result.map { " -> \($0)" } ?? "") + (constraints.map { " where \($0)" } ?? "")
    switch kind {
    case .function: return "\(modifiers)func \(name)\(generics)(\(list))\(effects)\(tail)"
    case .operatorFunction: return "\(modifiers)func \(name) \(generics)(\(list))\(effects)\(tail)"
    case .initializer: return "\(modifiers)init\(failure)\(generics)(\(list))\(effects)\(tail)"
    case .subscripting: return "\(modifiers)subscript\(generics)(\(list))\(tail)"
    case .property: return "\(modifiers)var \(name): \(result ?? "Void")"
    }
  }

  /// The requirement with the name of a type for `Self` in its parameters, as a class has to spell it.
  func namingSelf(_ type: String) -> Requirement {
    var copy = self
    for index in copy.parameters.indices {
      copy.parameters[index].type = TypeText(parameters[index].type).replacing(["Self": type])
    }
    if let result, result != "Self" { copy.result = TypeText(result).replacing(["Self": type]) }
    return copy
  }

  /// The arguments of a call with their labels.
  ///
  /// - Parameter values: The values in order; by default the parameters.
  func arguments(_ values: [String]? = nil) -> String {
    let values = values ?? parameters.map(\.name)
    return zip(parameters, values).map { parameter, value in
      parameter.label.map { "\($0): \(value)" } ?? value
    }.joined(separator: ", ")
  }

  /// A call of a function on a subject, or an access of a property.
  func use(on subject: String, _ values: [String]? = nil) -> String {
    "\(subject).\(name)" + (kind == .property ? "" : "(\(arguments(values)))")
  }

  /// A function or property with the body of its getter and setter.
  func definition(
    _ declaration: String, _ body: String, setter: String, inValue: Bool = false
  ) -> String {
    switch kind {
    case .function, .operatorFunction, .initializer: return "\(declaration) { \(body) }"
    case .property, .subscripting:
      let getter = effects.isEmpty ? body : "get\(effects) { \(body) }"
      guard isSettable else { return "\(declaration) { \(getter) }" }
      let keyword = inValue && !isSetterMutating ? "nonmutating set" : "set"
      return "\(declaration) {\n    get\(effects) { \(body) }\n    \(keyword) { \(setter) }\n  }"
    }
  }

  /// The first sentence of the documentation without its full stop, as the rest of a sentence; or
  /// `nil`.
  var sentence: String? {
    var text = ""
    for line in documentation {
      if line.isEmpty || line.hasPrefix("- ") { break }
      text += (text.isEmpty ? "" : " ") + line
    }
    if let end = text.firstRange(of: ". ") { text = String(text[..<end.lowerBound]) }
    while text.hasSuffix(".") { text.removeLast() }
    text = text.replacing("``", with: "").replacing("`", with: "")
      .replacing("\\", with: "").replacing("\"", with: "'")
    guard let first = text.split(separator: " ").first else { return nil }
    let isName = first.dropFirst().contains { $0.isUppercase }
    return isName ? text : text.prefix(1).lowercased() + text.dropFirst()
  }

  /// What a clause has to show, as the rest of a sentence.
  var question: String {
    var parts: [String] = []
    switch kind {
    case .initializer: parts.append("what \(signature) creates")
    default:
      if let result {
        parts.append(
          kind == .property ? "the value of \(signature)" : "what \(signature) returns")
        if TypeText(result).wrapped != nil { parts.append("when that is nil") }
      } else {
        parts.append("what \(signature) changes")
      }
    }
    if isSettable { parts.append("what setting it changes") }
    switch throwing {
    case .nothing: break
    case .typed(let type): parts.append("when it throws \(type)")
    case .anyError: parts.append("when it throws")
    case .rethrown: parts.append("that it throws what its closure throws")
    }
    if parts.count == 1 { return parts[0] }
    return parts.dropLast().joined(separator: ", ") + " and " + (parts.last ?? "")
  }
}
