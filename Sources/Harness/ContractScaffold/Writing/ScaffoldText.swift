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

// MARK: - Fixture and clauses

extension ScaffoldText {
  /// The file with the fixture and the contract.
  var contract: String {
    """
    \(imports("ContractTesting", "Testing"))
    \(fixtureDeclaration)
    extension Contract<\(names.fixture)> {
      static let \(names.variable) = Contract("\(names.id)", "\(names.title)", leavesOthersToMutants: true) {
    \(port.requirements.map(clause).joined(separator: "\n"))
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
}

// MARK: - Tests

extension ScaffoldText {
  /// The file with the implementations and the tests.
  var tests: String {
    let real = adapters.isEmpty ? [("real", "real", "the real thing")] : adapters.map(column)
    let list = (["inMemory"] + real.map(\.0)).map { ".\($0)" }.joined(separator: ", ")
    let implementations = real.map { name, id, words in
      guard let subject = creation(of: words) else {
        return """
            static let \(name) = live("\(id)") { _ in
              try #require(nil as \(names.fixture)?, "write me: a fixture with \(words)")
            }
          """
      }
      return "  static let \(name) = live(\"\(id)\") { scope in try \(fixture(subject)) }"
    }.joined(separator: "\n\n")
    let domains = domainDeclaration
    let needsFoundation = ["UUID", "URL", "Date", "Data", "Decimal", "Locale", "TimeZone"]
      .contains(where: TypeText(domains).mentions)
    let modules =
      ["ContractTesting", "Testing"] + (port.modelled.isEmpty ? [] : ["DriftExploration"])
      + (needsFoundation || implementations.contains("temporaryDirectory") ? ["Foundation"] : [])
    return """
      \(imports(modules))
      @Suite struct \(names.type)ContractTests {
        @Test(arguments: Contract.\(names.variable).cases(for: \(list)))
        func holds(_ contractCase: ContractCase<\(names.fixture)>) async throws {
          try await contractCase.verify()
        }
      \(exploration(real.map(\.0)))}

      extension Implementation<\(names.fixture)> {
        static let inMemory = fake("in-memory") {\(closureHead()) \(fakeFixture) }

      \(implementations)
      }
      \(domains)
      """
  }

  /// An expression that creates a real thing in a folder of its own, or `nil`.
  ///
  /// What is created in another way might be a user's own settings or files, which exploring would change.
  func creation(of adapter: String) -> String? {
    let declarations = port.sources.declarations(of: adapter)
    guard !declarations.contains(where: { $0.isIsolated || $0.isGeneric }) else { return nil }
    let visible = ["public", "package"] + (port.access.isEmpty ? ["internal"] : [])
    return declarations.flatMap(\.initializers).lazy.compactMap { access, initializer in
      guard visible.contains(access), initializer.failure.isEmpty, !initializer.isAsync,
        initializer.parameters.count == 1, let place = initializer.parameters.first
      else { return nil }
      let words = Identifier.words(place.name)
      let isFile = !Set(words).isDisjoint(with: ["file", "database", "db"])
      let isFolder = !Set(words).isDisjoint(with: ["folder", "directory", "dir", "root"])
      guard isFile || isFolder || words.contains("path") else { return nil }
      let location = "scope.temporaryDirectory()" + (isFolder ? "" : ".appending(path: \"file\")")
      let value: String? =
        switch port.sources.resolved(place.type) {
        case "URL": location
        case "String": location + ".path"
        default: nil
        }
      return value.map { "\(adapter)(\(place.label.map { "\($0): " } ?? "")\($0))" }
    }.first
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
