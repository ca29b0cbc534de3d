/// The text of a scaffold's files.
struct ScaffoldText {
  let port: ScaffoldPort
  /// The module that declares the protocol.
  let module: String
  /// A Swift expression that creates a fake, or `nil` if nothing is known to conform.
  let fake: String?
  /// The types that conform to the protocol and are no fakes.
  let adapters: [String]
  /// Whether a sample type stands for an associated type.
  let needsSample: Bool
  /// Whether the model is declared with the fake, in the port's module.
  let hasModel: Bool

  var names: PortNames { port.names }

  /// `import` lines, in alphabetical order.
  func imports(_ modules: String...) -> String { imports(modules) }

  private func imports(_ modules: [String]) -> String {
    var lines = Set((modules + port.port.declaration.imports).map { "import \($0)" })
    lines.remove("import \(module)")
    let own =
      port.access.isEmpty ? "@testable import \(module)" : "import \(module)"
    return (lines.sorted() + [own]).joined(separator: "\n") + "\n"
  }

  /// `@MainActor ` or the like and the parameters of a closure, if the closure needs them.
  func closureHead(_ parameters: String = "") -> String {
    let head = port.isolation + parameters
    return head.isEmpty ? "" : " \(head.hasSuffix(" ") ? String(head.dropLast()) : head) in"
  }

  /// An expression that makes a fixture around a subject.
  func fixture(_ subject: String) -> String {
    "\(names.fixture)(\(names.variable): \(subject))"
  }

  /// An expression that makes a fixture with the fake.
  var fakeFixture: String {
    fake.map { fixture($0) }
      ?? "try #require(nil as \(names.fixture)?, \"write me: a fixture with \(names.oneOfThem)\")"
  }
}

// MARK: - Fixture, clauses and saboteurs

extension ScaffoldText {
  /// The file with the fixture and the contract.
  var contract: String {
    """
    \(imports("ContractTesting", "Testing"))
    \(fixtureDeclaration)
    extension Contract<\(names.fixture)> {
      static let \(names.variable) = Contract("\(names.id)", "\(names.title)") {
    \(port.requirements.map(clause).joined(separator: "\n"))
      } saboteurs: {
    \(port.requirements.map(saboteur).joined(separator: "\n"))
      }
    }

    """
  }

  private var fixtureDeclaration: String {
    let sample =
      needsSample
      ? """

      /// A value for clauses and commands, which stands for the port's associated types.
      struct SampleValue: Codable, Hashable, Identifiable, Sendable {
        var id: Int
      }

      """ : ""
    guard port.changesValues else {
      let isSendable = port.port.isSendable && port.isolation.isEmpty
      return """
        /// What a clause receives.
        \(port.isolation)struct \(names.fixture)\(isSendable ? ": Sendable" : "") {
          /// The \(names.phrase) under test.
          var \(names.variable): \(port.subjectType)
        }
        \(sample)
        """
    }
    return """
      /// What a clause receives: a class, because calls change the value that it holds.
      \(port.isolation)final class \(names.fixture) {
        /// The \(names.phrase) under test.
        var \(names.variable): \(port.subjectType)

        init(\(names.variable): \(port.subjectType)) { self.\(names.variable) = \(names.variable) }
      }
      \(sample)
      """
  }

  /// The closure says that it throws: the compiler does not see a `try` that is inside `#expect`.
  private func clause(_ one: PortRequirement) -> String {
    let requirement = one.requirement
    let sentence = requirement.sentence ?? "write me: what \(requirement.signature) promises"
    return """
          Clause("\(one.id)", "\(sentence)") {\(closureHead("fixture throws"))
            Issue.record("write me: \(requirement.question)")
          }
      """
  }

  private func saboteur(_ one: PortRequirement) -> String {
    let requirement = one.requirement
    let head = "\"breaks-\(one.id)\", \"write me: its mistake\", caughtBy: \"\(one.id)\""
    guard port.canForward, fake != nil, one.isReplaceable else {
      return """
            Saboteur(\(head)) {\(closureHead())
              Issue.record("write me: \(names.oneOfThem) that breaks \(requirement.signature)")
              return \(fakeFixture)
            }
        """
    }
    let taken = requirement.parameters.map(\.name)
    let base = [names.variable, "base", "original"].first { !taken.contains($0) } ?? "subject"
    var list = ([base] + taken).joined(separator: ", ")
    // The compiler infers `any Error` for a closure that says nothing else.
    if case .typed = requirement.throwing { list += requirement.effects }
    return """
          Saboteur.flawed(\(head)) {
            $0.\(one.member) = { \(list) in \(requirement.call())\(requirement.use(on: base)) }
            Issue.record("write me: one mistake in \(requirement.signature)")
          }
      """
  }
}

// MARK: - Flaws

extension ScaffoldText {
  /// The file with the forwarder that saboteurs configure.
  var flaws: String {
    let replaceable = port.requirements.filter(\.isReplaceable)
    return """
      \(imports("ContractTesting", "Testing"))
      extension Saboteur<\(names.fixture)> {
        /// A saboteur: the fake with one mistake, which `configure` sets.
        static func flawed(
          _ id: String, _ flaw: String, caughtBy clauses: String..., saying message: String? = nil,
          sourceLocation: SourceLocation = #_sourceLocation,
          _ configure: @escaping @Sendable (inout \(names.flaws)) -> Void
        ) -> Saboteur {
          Saboteur(
            id, flaw, caughtBy: clauses, saying: message, sourceLocation: sourceLocation
          ) {\(closureHead("_"))
            var flaws = \(names.flaws)()
            configure(&flaws)
            return \(fixture("\(names.flawed)(base: \(fake ?? ""), flaws: flaws)"))
          }
        }
      }

      /// The mistakes of a deliberately broken \(names.phrase); without changes, it has none.
      struct \(names.flaws): Sendable {
      \(replaceable.map(closures).joined(separator: "\n"))
      }

      /// A \(names.phrase) that passes each call on to another, except for its flaws.
      \(port.isolation)private \(isForwarderClass ? "final class" : "struct") \(names.flawed): \
      \(port.port.declaration.name) {
      \(typealiases)  \(forwardsToVariable ? "var" : "let") base: \(port.subjectType)
        let flaws: \(names.flaws)
      \(needsForwarderInitializer ? forwarderInitializer : "")
      \(port.requirements.map(forwarding).joined(separator: "\n\n"))
      }

      """
  }

  private var isForwarderClass: Bool { port.port.isClassBound || !port.isolation.isEmpty }
  private var forwardsToVariable: Bool { port.changesValues && !isForwarderClass }

  private var needsForwarderInitializer: Bool {
    isForwarderClass || port.requirements.contains { $0.requirement.kind == .initializer }
  }

  private var typealiases: String {
    port.port.associatedTypes.map { "  typealias \($0.name) = \(port.types[$0.name] ?? "Never")\n" }
      .joined() + (port.port.associatedTypes.isEmpty ? "" : "\n")
  }

  private var forwarderInitializer: String {
    """

      init(base: \(port.subjectType), flaws: \(names.flaws)) {
        self.base = base
        self.flaws = flaws
      }

    """
  }

  private func isValueChange(_ requirement: Requirement) -> Bool {
    forwardsToVariable && requirement.isMutating
  }

  /// The closures of a function, or of a property's getter and setter.
  private func closures(_ one: PortRequirement) -> String {
    let requirement = one.requirement
    let isolation = requirement.isNonisolated ? "" : port.isolation
    let subject = (isValueChange(requirement) ? "inout " : "") + port.subjectType
    let result = requirement.result.map { $0 == "Self" ? port.subjectType : $0 } ?? "Void"
    let types = ([subject] + requirement.parameters.map(\.type)).joined(separator: ", ")
    let values = requirement.parameters.indices.map { "$\($0 + 1)" }
    var text = """
        var \(one.member): \(isolation)@Sendable (\(types))\(requirement.effects) -> \(result) =
          { \(requirement.call())\(requirement.use(on: "$0", values)) }
      """
    if requirement.kind == .property, requirement.isSettable {
      let subject =
        (forwardsToVariable && requirement.isSetterMutating ? "inout " : "")
        + port.subjectType
      text += """

          var \(setter(of: one)): \(isolation)@Sendable (\(subject), \(result)) -> Void =
            { $0.\(requirement.name) = $1 }
        """
    }
    return text
  }

  private func setter(of one: PortRequirement) -> String {
    let name = Identifier.plain(one.member)
    return "set" + name.prefix(1).uppercased() + name.dropFirst()
  }

  private func forwarding(_ one: PortRequirement) -> String {
    let requirement = one.requirement
    let hidden = Set(requirement.parameters.map(\.name))
    let base = hidden.contains("base") ? "self.base" : "base"
    let flaws = hidden.contains("flaws") ? "self.flaws" : "flaws"
    let isSelf = requirement.result == "Self"
    let declaration = requirement.namingSelf(names.flawed)
      .declaration(result: isSelf ? names.flawed : nil)
    if one.isReplaceable {
      let first = (isValueChange(requirement) ? "&" : "") + base
      let values = [first] + requirement.parameters.map { ($0.isInOut ? "&" : "") + $0.name }
      let call = "\(requirement.call())\(flaws).\(one.member)(\(values.joined(separator: ", ")))"
      let isSetterChange = forwardsToVariable && requirement.isSetterMutating
      return "  "
        + requirement.definition(
          declaration, isSelf ? "\(names.flawed)(base: \(call), flaws: \(flaws))" : call,
          setter: "\(flaws).\(setter(of: one))(\(isSetterChange ? "&" : "")\(base), newValue)",
          inValue: !isForwarderClass)
    }
    let unwritten = "fatalError(\"write me: \(requirement.signature) of \(names.flawed)\")"
    if requirement.isStatic || requirement.kind == .initializer || requirement.takesSelf
      || (requirement.isNonisolated && !port.isolation.isEmpty && !port.port.isSendable)
      || requirement.parameters.contains(where: \.isVariadic)
      || (requirement.result.map { TypeText($0).mentions("Self") } ?? false && !isSelf)
    {
      return "  "
        + requirement.definition(
          declaration, unwritten, setter: unwritten, inValue: !isForwarderClass)
    }
    let call = requirement.call() + requirement.use(on: base)
    return "  "
      + requirement.definition(
        declaration, isSelf ? "\(names.flawed)(base: \(call), flaws: \(flaws))" : call,
        setter: "\(requirement.use(on: base)) = newValue", inValue: !isForwarderClass)
  }
}

// MARK: - Tests

extension ScaffoldText {
  /// The file with the implementations and the tests.
  var tests: String {
    let modules =
      ["ContractTesting", "Testing"] + (port.modelled.isEmpty ? [] : ["ContractExploration"])
    let real = adapters.isEmpty ? [("real", "real", "the real thing")] : adapters.map(column)
    let list = (["inMemory"] + real.map(\.0)).map { ".\($0)" }.joined(separator: ", ")
    let implementations = real.map { name, id, words in
      """
        static let \(name) = live("\(id)") {
          try #require(nil as \(names.fixture)?, "write me: a fixture with \(words)")
        }
      """
    }.joined(separator: "\n\n")
    return """
      \(imports(modules))
      @Suite struct \(names.type)ContractTests {
        @Test(
          arguments: Contract.\(names.variable).cases(for: \(list))
            + Contract.\(names.variable).saboteurCases)
        func holds(_ contractCase: ContractCase<\(names.fixture)>) async throws {
          try await contractCase.verify()
        }
      \(exploration(real.map(\.0)))}

      extension Implementation<\(names.fixture)> {
        static let inMemory = fake("in-memory") {\(closureHead()) \(fakeFixture) }

      \(implementations)
      }

      """
  }

  private func exploration(_ real: [String]) -> String {
    guard !port.modelled.isEmpty else { return "" }
    let columns = (hasModel ? real : ["inMemory"] + real).map { ".\($0)" }.joined(separator: ", ")
    return """

        @Test(arguments: [Implementation<\(names.fixture)>\(columns)])
        func explored(_ implementation: Implementation<\(names.fixture)>) async throws {
          try #require(Bool(false), "write me: \(names.model), and remove this line")
          try await explore(.\(names.variable), on: implementation)
        }

      """
  }

  /// The name of the constant, the id and the words for an adapter's column.
  private func column(_ adapter: String) -> (String, String, String) {
    var words = Identifier.words(adapter)
    let own = Identifier.words(names.type)
    if words.count > own.count, words.suffix(own.count) == own[...] { words.removeLast(own.count) }
    if ["live", "fake", "recorded"].contains(words.joined()) { words = Identifier.words(adapter) }
    return (Identifier.camel(words), words.joined(separator: "-"), adapter)
  }
}
