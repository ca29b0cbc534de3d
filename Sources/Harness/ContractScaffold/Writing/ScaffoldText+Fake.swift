// The fake and its model, beside the port.

extension ScaffoldText {
  /// Where the fake keeps its model.
  private enum Storage { case lock, property, value }

  private var storage: Storage {
    if port.requirements.contains(where: { $0.requirement.isMutating }), !port.port.isClassBound {
      return .value
    }
    return port.port.isSendable && port.isolation.isEmpty && !port.port.isActor ? .lock : .property
  }

  /// The generic parameters that stand for the associated types: `<Entity: Sendable>`.
  private var generics: String {
    let list = port.port.associatedTypes.map { type in
      type.name
        + (type.constraints.isEmpty ? "" : ": " + type.constraints.joined(separator: " & "))
    }
    return list.isEmpty ? "" : "<\(list.joined(separator: ", "))>"
  }

  /// ` where` and the constraints that do not fit into ``generics``.
  private var genericConstraints: String {
    let list = port.port.associatedTypes.filter { !$0.idConstraints.isEmpty }.map {
      "\($0.name).ID: \($0.idConstraints.joined(separator: " & "))"
    }
    return list.isEmpty ? "" : " where \(list.joined(separator: ", "))"
  }

  private var genericArguments: String {
    let list = port.port.associatedTypes.map(\.name).joined(separator: ", ")
    return list.isEmpty ? "" : "<\(list)>"
  }

  /// The requirements as the protocol spells them, with associated types.
  private var originals: [(PortRequirement, Requirement)] {
    zip(port.requirements, port.port.requirements).map {
      ($0, $1.namingSelf(names.fake + genericArguments))
    }
  }

  /// The file with the fake and the model.
  var fakeFile: String {
    let modules = (port.port.declaration.imports + (storage == .lock ? ["Synchronization"] : []))
      .map { "import \($0)" }
    let imports = Set(modules).sorted().joined(separator: "\n")
    let keyword: String =
      switch storage {
      case .value: "struct"
      default: port.port.isActor ? "actor" : "final class"
      }
    let access = port.access
    let hasInit = originals.contains { $1.kind == .initializer && $1.parameters.isEmpty }
    let initializer =
      hasInit ? "" : "  /// Creates \(names.oneOfThem) without contents.\n  \(access)init() {}\n\n"
    return """
      \(imports.isEmpty ? "" : imports + "\n\n")/// The fake: \(names.oneOfThem) in memory, for \
      tests and previews.
      \(port.isolation)\(access)\(keyword) \(names.fake)\(generics): \
      \(port.port.declaration.name)\(genericConstraints) {
      \(storedModel)\(initializer)\(originals.map(fakeMember).joined(separator: "\n\n"))
      }
      \(port.modelled.isEmpty ? "" : "\n" + model(access: access))
      """
  }

  private var storedModel: String {
    guard !port.modelled.isEmpty else { return "" }
    let type = names.model + genericArguments
    return switch storage {
    case .lock: "  private let model = Mutex(\(type)())\n\n"
    default: "  private var model = \(type)()\n\n"
    }
  }

  private func fakeMember(_ one: PortRequirement, _ requirement: Requirement) -> String {
    let declaration = requirement.declaration(
      access: port.access, isMutating: requirement.isMutating && storage == .value)
    guard one.isModelled else {
      let unwritten = "fatalError(\"write me: \(requirement.signature)\")"
      if requirement.kind == .initializer, requirement.parameters.isEmpty {
        return "  \(declaration) {}"
      }
      return "  "
        + requirement.definition(
          declaration, unwritten, setter: unwritten, inValue: storage == .value)
    }
    return "  "
      + requirement.definition(
        declaration, modelCall(requirement), setter: setterCall(requirement),
        inValue: storage == .value)
  }

  private func modelCall(_ requirement: Requirement) -> String {
    let attempt = requirement.isThrowing ? "try " : ""
    guard storage == .lock else {
      let model = requirement.parameters.contains { $0.name == "model" } ? "self.model" : "model"
      return attempt + requirement.use(on: model)
    }
    guard case .typed(let type) = requirement.throwing else {
      return "\(attempt)\(lock(requirement)).withLock { \(attempt)\(requirement.use(on: "$0")) }"
    }
    let taken = requirement.parameters.map(\.name)
    let state = ["model", "state", "contents"].first { !taken.contains($0) } ?? "current"
    return """
      try \(lock(requirement)).withLock { \(state) throws(\(type)) in
          try \(requirement.use(on: state))
        }
      """
  }

  private func lock(_ requirement: Requirement) -> String {
    requirement.parameters.contains { $0.name == "model" } ? "self.model" : "model"
  }

  private func setterCall(_ requirement: Requirement) -> String {
    if storage == .value, !requirement.isSetterMutating {
      return "fatalError(\"write me: setting \(requirement.name)\")"
    }
    return storage == .lock
      ? "model.withLock { $0.\(requirement.name) = newValue }"
      : "model.\(requirement.name) = newValue"
  }

  // MARK: - The model

  /// The model's declaration.
  ///
  /// - Parameter access: `public ` or the like, or nothing.
  func model(access: String) -> String {
    let members = originals.filter { $0.0.isModelled }.map { modelMember($1, access: access) }
    let conformance = port.port.associatedTypes.isEmpty ? "Hashable, Sendable" : "Sendable"
    let constraints = port.port.associatedTypes.map { "\($0.name): Hashable" }
    let conditional =
      constraints.isEmpty
      ? ""
      : """

      extension \(names.model): Hashable, Equatable where \(constraints.joined(separator: ", ")) {}

      """
    return """
      /// The behaviour of \(names.oneOfThem), without locks, clocks or I/O.
      \(access)struct \(names.model)\(generics): \(conformance)\(genericConstraints) {
        /// Creates the model of \(names.oneOfThem) that has not been used.
        \(access)init() {}

      \(members.joined(separator: "\n\n"))
      }
      \(conditional)
      """
  }

  private func modelMember(_ original: Requirement, access: String) -> String {
    var requirement = original
    requirement.isAsync = false
    requirement.isNonisolated = false
    let isMutating = requirement.kind == .function && (storage != .value || requirement.isMutating)
    let unwritten = "fatalError(\"write me: \(requirement.signature)\")"
    return "  "
      + requirement.definition(
        requirement.declaration(access: access, isMutating: isMutating), unwritten,
        setter: unwritten)
  }
}
