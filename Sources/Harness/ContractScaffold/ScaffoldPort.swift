/// A protocol with what a scaffold for it needs to know: names, and which requirements fit which file.
struct ScaffoldPort {
  let port: PackageSources.Port
  let sources: PackageSources
  /// The type that stands for each associated type.
  let types: [String: String]
  let names: PortNames
  let requirements: [PortRequirement]

  init(_ port: PackageSources.Port, in sources: PackageSources, types: [String: String]) {
    self.port = port
    self.sources = sources
    self.types = types
    names = PortNames(port.declaration.name)
    requirements = PortRequirement.numbered(port, sources: sources, types: types)
  }

  /// The type of the subject, such as `any JobQueue`.
  var subjectType: String {
    let arguments = port.declaration.primaryTypes.map { types[$0] ?? $0 }
    let list = arguments.isEmpty ? "" : "<\(arguments.joined(separator: ", "))>"
    return "any \(port.declaration.name)\(list)"
  }

  /// Whether every requirement is known, so that a type can conform.
  var isComplete: Bool {
    port.unknown.isEmpty && port.declaration.unread.isEmpty && !port.declaration.isConditional
  }

  /// Whether a call may change the subject's value, so that a fixture must hold it in a variable.
  var changesValues: Bool {
    !port.isClassBound
      && port.requirements.contains {
        !$0.isStatic && ($0.isMutating || ($0.isSettable && $0.isSetterMutating))
      }
  }

  /// The requirements that a model and commands can express.
  var modelled: [PortRequirement] { requirements.filter(\.isModelled) }

  /// `@MainActor ` or the like, or nothing.
  var isolation: String { port.declaration.isolation.map { $0 + " " } ?? "" }

  /// `public `, `package ` or nothing.
  var access: String {
    ["public", "package"].contains(port.declaration.access) ? port.declaration.access + " " : ""
  }
}

/// A requirement with the names that files use for it.
struct PortRequirement {
  var requirement: Requirement
  /// The id of its clause: `enqueue-after`.
  var id: String
  /// The name of its command: `enqueueAfter`.
  var member: String
  /// Whether a model can have it: a call with values that are known to be `Sendable`.
  var isModelled: Bool

  /// Gives each requirement of a protocol an id and a name of its own.
  static func numbered(
    _ port: PackageSources.Port, sources: PackageSources, types: [String: String]
  ) -> [PortRequirement] {
    var ids: Set<String> = []
    return port.requirements.map { original in
      let words = Identifier.words(
        original.kind == .operatorFunction ? "operator" : Identifier.plain(original.name))
      let labels = original.parameters.compactMap(\.label).flatMap { Identifier.words($0) }
      var chosen = words
      if ids.contains(words.joined(separator: "-")) { chosen += labels }
      var number = 2
      while ids.contains(chosen.joined(separator: "-")) {
        chosen = words + labels + ["\(number)"]
        number += 1
      }
      let id = chosen.joined(separator: "-")
      ids.insert(id)
      var substituted = original
      for index in substituted.parameters.indices {
        substituted.parameters[index].type = TypeText(substituted.parameters[index].type)
          .replacing(types)
      }
      substituted.result = original.result.map { TypeText($0).replacing(types) }
      return PortRequirement(
        requirement: substituted, id: id, member: Identifier.camel(chosen),
        isModelled: isModelled(original, substituted, port, sources))
    }
  }

  private static func isModelled(
    _ original: Requirement, _ substituted: Requirement, _ port: PackageSources.Port,
    _ sources: PackageSources
  ) -> Bool {
    guard original.kind == .function || original.kind == .property, !original.isStatic,
      !original.isGeneric, original.throwing != .rethrown,
      !(original.isNonisolated && (port.declaration.isolation != nil || port.isActor)),
      !original.parameters.contains(where: { $0.isInOut || $0.isVariadic || $0.isClosure })
    else { return false }
    // A type that is not constrained to be `Sendable` can't enter a lock.
    let unsafe = port.associatedTypes.filter {
      $0.constraints.allSatisfy { $0 != "Sendable" && $0 != "Error" }
    }
    let unsafeIDs = port.associatedTypes.filter { !$0.idConstraints.contains("Sendable") }
    let isUnsafe = original.types.contains { type in
      unsafe.contains { TypeText(type).mentions($0.name) }
        || unsafeIDs.contains { type.contains($0.name + ".ID") }
    }
    return !isUnsafe && substituted.types.allSatisfy(sources.isSendable)
  }
}
