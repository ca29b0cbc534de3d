// Operations and the values of their arguments, for explorations.

extension ScaffoldText {
  /// The test that compares the fake with the real things.
  ///
  /// - Parameter real: The names of the constants of the real things.
  func exploration(_ real: [String]) -> String {
    guard !calls.isEmpty else { return "" }
    let isOne = real.count == 1
    let type = "Implementation<\(names.fixture)>"
    let list = real.map { "\(type).\($0)" }.joined(separator: ", ")
    let attribute = isOne ? "@Test " : "@Test(arguments: [\(list)])\n  "
    return """

        \(attribute)func behavesLikeTheRealThing(\(isOne ? "" : "_ real: \(type)")) async throws {
          try await exploreDrift(of: .inMemory, from: \(isOne ? ".\(real[0])" : "real")) {
      \(calls.map(operation).joined(separator: "\n"))
          }
        }

      """
  }

  /// The declaration of the domains, one for each meaning of an argument.
  var domainDeclaration: String {
    let domains = domains
    guard !domains.isEmpty else { return "" }
    return """

      /// What the arguments of calls are drawn from: one domain for each meaning.
      enum \(names.values) {
      \(domains.map { "  static let \($0.name): Domain<\($0.type)> = \($0.source)" }.joined(separator: "\n"))
      }

      """
  }

  /// The domains for which no values are known.
  var unknownDomains: [(name: String, type: String)] {
    domains.filter { $0.source.contains("Write me") }.map { ($0.name, $0.type) }
  }

  // MARK: - Calls

  /// A call of a function or a property, or of a property's setter.
  private struct Call {
    var name: String
    var requirement: Requirement
    var isSetter = false
    /// The arguments, with the names of their domains.
    var arguments: [(name: String, type: String, domain: String)]
  }

  private var calls: [Call] {
    port.modelled.flatMap { one -> [Call] in
      let requirement = one.requirement
      let name = Identifier.plain(one.member)
      let call = Call(
        name: name, requirement: requirement,
        arguments: requirement.parameters.map {
          let name = $0.name == "fixture" ? "argument" : $0.name
          return (Identifier.escaped(Identifier.plain(name)), $0.type, domainName($0.name, $0.type))
        })
      guard requirement.isSettable, !port.port.isActor, let type = requirement.result
      else { return [call] }
      let setter = Call(
        name: "set" + name.prefix(1).uppercased() + name.dropFirst(), requirement: requirement,
        isSetter: true, arguments: [("value", type, domainName(name, type))])
      return [call, setter]
    }
  }

  private func operation(_ call: Call) -> String {
    let domains = call.arguments.map { ", \(names.values).\($0.domain)" }.joined()
    let parameters = (["fixture"] + call.arguments.map(\.name)).joined(separator: ", ")
    let subject = "fixture.\(names.variable)"
    let body =
      call.isSetter
      ? "\(subject).\(call.requirement.name) = value"
      : call.requirement.call(isIsolated: port.port.isActor)
        + call.requirement.use(on: subject, call.arguments.map(\.name))
    let ignores = !call.isSetter && producers.values.contains(call.name)
    return """
            Operation("\(call.name)"\(domains)) {\(closureHead(parameters)) \(body) }
      """ + (ignores ? "\n        .ignoringAnswer()" : "")
  }

  // MARK: - Domains

  /// The name of the domain of an argument: its own, with the type's if another argument has the same name.
  private func domainName(_ name: String, _ type: String) -> String {
    let words = Identifier.words(name)
    let isShared = meanings.contains { $0.words == words && $0.type != type }
    let parts =
      (TypeText(type).wrapped == nil ? [] : ["optional"])
      + type.split { !$0.isLetter && !$0.isNumber }.flatMap { Identifier.words(String($0)) }
    return Identifier.camel(isShared ? words + parts : words)
  }

  private var meanings: [(words: [String], type: String)] {
    port.modelled.map(\.requirement).flatMap { requirement in
      requirement.parameters.map { (Identifier.words($0.name), $0.type) }
        + (requirement.isSettable
          ? [(Identifier.words(requirement.name), requirement.result ?? "")] : [])
    }
  }

  private var domains: [(name: String, type: String, source: String)] {
    var seen: Set<String> = []
    return calls.flatMap(\.arguments).compactMap { argument in
      guard seen.insert(argument.domain).inserted else { return nil }
      let words = Identifier.words(argument.domain)
      guard let known = Self.values(words, argument.type) else {
        let source =
          ".of([], named: \"\(argument.type)\")  // Write me: some values, the simplest first."
        return (argument.domain, argument.type, source)
      }
      guard let producer = producers[argument.domain] else {
        return (argument.domain, argument.type, known)
      }
      return (argument.domain, argument.type, ".oneOf(.result(of: \"\(producer)\"), \(known))")
    }
  }

  /// The calls that return what an argument names, such as a ticket, by the name of the argument's domain.
  private var producers: [String: String] {
    var producers: [String: String] = [:]
    let functions = port.modelled.filter {
      $0.requirement.kind == .function && $0.requirement.result != nil
    }
    for parameter in port.modelled.flatMap(\.requirement.parameters) {
      let names = ["id", "identifier", "ticket", "token", "handle", "receipt", "reference"]
      guard Identifier.words(parameter.name).contains(where: { names.contains($0) }),
        let producer = functions.first(where: {
          $0.requirement.result == parameter.type
            || TypeText($0.requirement.result ?? "").wrapped == parameter.type
        })
      else { continue }
      producers[domainName(parameter.name, parameter.type)] = Identifier.plain(producer.member)
    }
    return producers
  }

  /// A domain of a type, chosen by the words of the argument's name; `nil` if no values are known.
  private static func values(_ words: [String], _ type: String) -> String? {
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
    case "Duration": return ".durations(around: .seconds(60))"
    default: break
    }
    let text = TypeText(type)
    if let wrapped = text.wrapped { return values(words, wrapped).map { ".optional(\($0))" } }
    if let (kind, types) = text.elements, types.count == 1, kind == "array" {
      return values(words, types[0]).map { ".arrays(of: \($0))" }
    }
    return SampleValues.list(of: type).map { ".of(\($0), named: \"\(type)\")" }
  }
}
