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
      \(domains.map { "  static let \($0.name): Domain<\($0.type)> = \($0.source ?? unknown($0.type))" }.joined(separator: "\n"))
      }

      """
  }

  private func unknown(_ type: String) -> String {
    ".of([], named: \"\(type)\")  // Write me: some values, the simplest first."
  }

  /// The domains for which no values are known.
  var unknownDomains: [(name: String, type: String)] {
    domains.filter { $0.source == nil }.map { ($0.name, $0.type) }
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
          let type = port.sources.resolved($0.type)
          return (Identifier.escaped(Identifier.plain(name)), type, domainName($0.name, type))
        })
      guard requirement.isSettable, !port.port.isActor, let result = requirement.result
      else { return [call] }
      let type = port.sources.resolved(result)
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

  /// The name of the domain of an argument: the type's if the package declares it, and otherwise the argument's,
  /// with the type's if another argument or a type has the same name.
  private func domainName(_ name: String, _ type: String) -> String {
    let words = Identifier.words(name)
    let typeWords = DomainSources.words(of: type)
    if port.sources.isValueType(type) { return Identifier.camel(typeWords) }
    let parts = (TypeText(type).wrapped == nil ? [] : ["optional"]) + typeWords
    if port.sources.isNameOfType(words) {
      return Identifier.camel(typeWords == words ? parts : words + parts)
    }
    let isShared = meanings.contains { $0.words == words && $0.type != type }
    return Identifier.camel(isShared ? words + parts : words)
  }

  private var meanings: [(words: [String], type: String)] {
    port.modelled.map(\.requirement).flatMap { requirement in
      requirement.parameters.map { (Identifier.words($0.name), port.sources.resolved($0.type)) }
        + (requirement.isSettable
          ? [(Identifier.words(requirement.name), port.sources.resolved(requirement.result ?? ""))]
          : [])
    }
  }

  /// What the domains leave out of values that they make.
  var gaps: [String] { madeDomains.gaps }

  private var domains: [DomainSources.Constant] { madeDomains.constants }

  private var madeDomains: (constants: [DomainSources.Constant], gaps: [String]) {
    let types = calls.flatMap(\.arguments).map { ($0.domain, $0.type) }
    var sources = DomainSources(
      port.sources, module: module, seesPublicOnly: !port.access.isEmpty,
      arguments: Dictionary(types, uniquingKeysWith: { first, _ in first }))
    var seen: Set<String> = []
    let arguments = calls.flatMap(\.arguments).compactMap { argument -> DomainSources.Constant? in
      guard seen.insert(argument.domain).inserted else { return nil }
      let known = sources.source(of: argument.type, Identifier.words(argument.domain))
      // That of a type is among the constants.
      if known == argument.domain { return nil }
      let produced = producers[argument.domain].flatMap { producer in
        known.map { ".oneOf(.result(of: \"\(producer)\"), \($0))" }
      }
      return DomainSources.Constant(
        name: argument.domain, type: argument.type, source: produced ?? known)
    }
    return (sources.constants(for: arguments, named: seen), sources.gaps)
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
      producers[domainName(parameter.name, port.sources.resolved(parameter.type))] =
        Identifier.plain(producer.member)
    }
    return producers
  }
}
