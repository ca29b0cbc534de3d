// Commands and responses, for explorations.

extension ScaffoldText {
  private var modelType: String {
    let arguments = port.port.associatedTypes.map { port.types[$0.name] ?? $0.name }
    return names.model + (arguments.isEmpty ? "" : "<\(arguments.joined(separator: ", "))>")
  }

  /// The file with the specification.
  var specification: String {
    let commands = commands
    return """
      \(imports("ContractExploration"))
      /// The commands of \(names.oneOfThem), for random exploration. The model is the oracle.
      struct \(names.specification): Specification {
        /// A call with its arguments. Arguments of other types than numbers, strings and Booleans are
        /// positions in the lists of samples below.
        enum Command: Hashable, Sendable, Codable, CustomStringConvertible {
      \(commands.map { "    " + $0.declaration }.joined(separator: "\n"))

          var description: String {
            switch self {
      \(commands.map { "      " + $0.description }.joined(separator: "\n"))
            }
          }
        }

        /// What a call returned or threw.
        enum Response: Equatable, Sendable {
      \(commands.flatMap(\.responses).map { "    " + $0 }.joined(separator: "\n"))
      \(failureCase)  }

      \(samples)  var kinds: [String] { [\(commands.map { "\"\($0.kind)\"" }.joined(separator: ", "))] }

        var initialState: \(modelType) { \(modelType)() }

        func command(from choices: inout Choices, in state: \(modelType)) -> Command {
          switch choices.rule(of: \(commands.count)) {
      \(generators(commands))
          }
        }

        func apply(_ command: Command, to state: inout \(modelType)) -> Response {
      \(calls(commands, on: "state", isModel: true))
        }

      \(isolatedPerform)  \(port.isolation)\(port.isolation.isEmpty ? "" : "private ")func \
      \(port.isolation.isEmpty ? "perform" : "call")(_ command: Command, on subject: \(names.fixture)) \
      async throws -> Response {
      \(calls(commands, on: "subject.\(names.variable)", isModel: false))
        }
      }

      extension Specification where Self == \(names.specification) {
        /// The commands of \(names.oneOfThem).
        static var \(names.variable): \(names.specification) { \(names.specification)() }
      }
      \(hasModel ? "" : "\n" + model(access: ""))
      """
  }

  /// The protocol's function can't be isolated itself, because not every subject is `Sendable`.
  private var isolatedPerform: String {
    if port.isolation.isEmpty { return "" }
    return """
        func perform(_ command: Command, on subject: \(names.fixture)) async throws -> Response {
          try await call(command, on: subject)
        }


      """
  }

  // MARK: - Commands

  private struct CommandSource {
    var requirement: Requirement
    var name: String
    /// Whether it sets a property.
    var isSetter = false
    var parameters: [Argument]
    var responses: [String] = []

    struct Argument {
      var name: String
      var type: String
      var sample: String?
      var isString: Bool { sample == nil && type == "String" }
      var stored: String { sample == nil ? type : "Int" }
      /// The name without backticks, as a label.
      var label: String { Identifier.plain(name) }
      var value: String { sample.map { "Self.\($0)[\(name)]" } ?? name }
    }

    /// The name that explorations know the command by.
    var kind: String { Identifier.plain(name) }

    var declaration: String {
      let list = parameters.map { "\($0.label): \($0.stored)" }.joined(separator: ", ")
      return "case \(name)" + (list.isEmpty ? "" : "(\(list))")
    }

    var pattern: String {
      let list = parameters.map { "let \($0.name)" }.joined(separator: ", ")
      return "case .\(kind)" + (list.isEmpty ? "" : "(\(list))")
    }

    var description: String {
      let list = parameters.map {
        "\($0.label): \\(\($0.name)\($0.isString ? ".debugDescription" : ""))"
      }
      return "\(pattern): \"\(kind)\(list.isEmpty ? "" : "(\(list.joined(separator: ", ")))")\""
    }
  }

  private static let numbers: Set = [
    "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64",
  ]

  private func argument(_ name: String, _ type: String, of one: PortRequirement)
    -> CommandSource.Argument
  {
    let isPlain = Self.numbers.contains(type) || type == "String" || type == "Bool"
    return .init(
      name: Identifier.escaped(Identifier.plain(name)), type: type,
      sample: isPlain ? nil : sampleName(of: type))
  }

  private func sampleName(of type: String) -> String {
    func name(_ type: String) -> String {
      let text = type.replacing("?", with: " Optional").replacing("[", with: " List ")
      let words = text.split { !($0.isLetter || $0.isNumber) }
        .flatMap { Identifier.words(String($0)) }
      return Identifier.camel(words + ["samples"])
    }
    let types = port.modelled.map(\.requirement).flatMap(\.types)
    let first = types.first { name($0) == name(type) }
    return first == nil || first == type
      ? name(type) : name(type) + "\(types.firstIndex(of: type) ?? 0)"
  }

  private var commands: [CommandSource] {
    port.modelled.flatMap { one -> [CommandSource] in
      let requirement = one.requirement
      var command = CommandSource(
        requirement: requirement, name: one.member,
        parameters: requirement.parameters.map { argument($0.name, $0.type, of: one) })
      let payload = requirement.result.map { "(\(isComparable($0) ? $0 : "String"))" } ?? ""
      command.responses = ["case \(one.member)\(payload)"]
      guard requirement.isSettable, !port.port.isActor, let type = requirement.result
      else { return [command] }
      let plain = Identifier.plain(one.member)
      let name = "set" + plain.prefix(1).uppercased() + plain.dropFirst()
      var setter = CommandSource(
        requirement: requirement, name: name, isSetter: true,
        parameters: [argument("value", type, of: one)])
      setter.responses = ["case \(name)"]
      return [command, setter]
    }
  }

  private func isComparable(_ type: String) -> Bool { port.sources.isEquatable(type) }

  // MARK: - Samples

  /// The types whose values a command names by their position in a list, with the lists' names.
  var sampleTypes: [(type: String, name: String)] {
    var seen: Set<String> = []
    return commands.flatMap(\.parameters).compactMap { argument in
      argument.sample.flatMap { seen.insert($0).inserted ? (argument.type, $0) : nil }
    }
  }

  /// The requirements whose results are compared by their descriptions.
  var describedResults: [String] {
    port.modelled.map(\.requirement).compactMap(\.result).filter { !isComparable($0) }
  }

  private var samples: String {
    sampleTypes.map { type, name in
      guard let list = SampleValues.list(of: type) else {
        return "  // Write me: two or three values.\n  static var \(name): [\(type)] { [] }\n\n"
      }
      return "  static var \(name): [\(type)] { \(list) }\n\n"
    }.joined()
  }

  // MARK: - Generating and calling

  private func generators(_ commands: [CommandSource]) -> String {
    commands.enumerated().map { index, command in
      let label = index == commands.count - 1 ? "default" : "case \(index)"
      let arguments = command.parameters.map { "\($0.label): \(generator($0))" }
      let list = arguments.isEmpty ? "" : "(\(arguments.joined(separator: ", ")))"
      return "    \(label): .\(command.kind)\(list)"
    }.joined(separator: "\n")
  }

  private func generator(_ argument: CommandSource.Argument) -> String {
    let domain = "domain: \"\(argument.label)\""
    if let sample = argument.sample {
      return "choices.element(of: Self.\(sample).indices, \(domain)) ?? 0"
    }
    switch argument.type {
    case "Bool": return "choices.bool()"
    case "String": return "choices.element(of: [\"\", \"a\", \"b\", \"é\"], \(domain)) ?? \"\""
    case let type where type.hasPrefix("U"): return "choices.integer(in: 0...10, \(domain))"
    default: return "choices.integer(in: -1...10, \(domain))"
    }
  }

  /// The errors of the commands: one type, or several.
  private var failure: (catches: String, type: String?)? {
    let throwing = Set(
      port.modelled.map(\.requirement.throwing).filter { $0 != .nothing }.map { throwing in
        if case .typed(let type) = throwing { type } else { "" }
      })
    guard !throwing.isEmpty else { return nil }
    if throwing.count == 1, let type = throwing.first, !type.isEmpty {
      return ("do throws(\(type))", port.sources.isEquatable(type) ? type : nil)
    }
    return ("do", nil)
  }

  private var failureName: String {
    commands.contains { $0.kind == "failed" } ? "threw" : "failed"
  }

  private var failureCase: String {
    failure.map { "    case \(failureName)(\($0.type ?? "String"))\n" } ?? ""
  }

  private func calls(_ commands: [CommandSource], on subject: String, isModel: Bool) -> String {
    let lines = commands.map { command in
      "      \(command.pattern):\n" + call(command, on: subject, isModel: isModel)
    }
    let body = "    switch command {\n" + lines.joined(separator: "\n") + "\n    }"
    guard let failure else { return body }
    let value = failure.type == nil ? "String(reflecting: error)" : "error"
    return
      "    \(failure.catches) {\n\(body)\n    } catch {\n      return .\(failureName)(\(value))\n    }"
  }

  private func call(_ command: CommandSource, on subject: String, isModel: Bool) -> String {
    var requirement = command.requirement
    if isModel { requirement.isAsync = false }
    let prefix = requirement.call(isIsolated: !isModel && port.port.isActor)
    if command.isSetter {
      let value = command.parameters[0].value
      return "        \(subject).\(requirement.name) = \(value)\n        return .\(command.kind)"
    }
    let use = prefix + requirement.use(on: subject, command.parameters.map(\.value))
    guard let result = requirement.result else {
      return "        \(use)\n        return .\(command.kind)"
    }
    let value =
      isComparable(result)
      ? use
      : "\(prefix)String(reflecting: "
        + requirement.use(on: subject, command.parameters.map(\.value)) + ")"
    return "        return .\(command.kind)(\(value))"
  }
}

/// Values of well-known types that differ in ways that matter.
enum SampleValues {
  /// The source of a list of values, or `nil` if the type is not known.
  static func list(of type: String) -> String? {
    values(of: type).map { "[\($0.joined(separator: ", "))]" }
  }

  private static func values(of type: String) -> [String]? {
    switch type {
    case "String", "Substring": return ["\"\"", "\"a\"", "\"é\""]
    case "Bool": return ["false", "true"]
    case "Int", "Int8", "Int16", "Int32", "Int64": return ["-1", "0", "1", "100"]
    case "UInt", "UInt8", "UInt16", "UInt32", "UInt64": return ["0", "1", "100"]
    case "Double", "Float", "TimeInterval": return ["-1", "0", "0.5", "100"]
    case "Duration": return [".zero", ".milliseconds(1)", ".seconds(60)"]
    case "Date": return ["Date(timeIntervalSince1970: 0)", "Date(timeIntervalSince1970: 1.5)"]
    case "Data": return ["Data()", "Data([0, 255])"]
    case "UUID":
      return [
        "UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))",
        "UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))",
      ]
    case "URL": return ["URL(filePath: \"/a\")", "URL(filePath: \"/b c\")"]
    case "SampleValue.ID": return ["1", "2"]
    case "SampleValue": return ["SampleValue(id: 1)", "SampleValue(id: 2)"]
    default: break
    }
    let text = TypeText(type)
    if let wrapped = text.wrapped { return values(of: wrapped).map { ["nil"] + $0 } }
    if let (kind, types) = text.elements, types.count == 1, kind != "tuple" {
      return values(of: types[0]).map { ["[]", "[\($0[0])]", "[\($0.joined(separator: ", "))]"] }
    }
    return nil
  }
}
