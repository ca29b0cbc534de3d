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

  /// Whether a type can pass each call on to another instance. An actor can't, because its
  /// synchronous functions can't call those of another actor.
  var canForward: Bool { isComplete && !port.isActor }

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
  /// The name of its command and its flaw: `enqueueAfter`.
  var member: String
  /// Whether a model can have it: a call with values that are known to be `Sendable`.
  var isModelled: Bool
  /// Whether a closure can replace it in a forwarder.
  var isReplaceable: Bool

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
        isModelled: isModelled(original, substituted, port, sources),
        isReplaceable: isReplaceable(original, of: port))
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

  private static func isReplaceable(
    _ requirement: Requirement, of port: PackageSources.Port
  ) -> Bool {
    guard requirement.kind == .function || requirement.kind == .property else { return false }
    let result = requirement.result.map { $0 != "Self" && TypeText($0).mentions("Self") } ?? false
    // A nonisolated function can't use a property that is isolated and not `Sendable`.
    let isOutside =
      requirement.isNonisolated && port.declaration.isolation != nil && !port.isSendable
    return !isOutside && !requirement.isStatic && !requirement.isGeneric && !requirement.takesSelf
      && !result
      && requirement.throwing != .rethrown
      && !requirement.parameters.contains { $0.isVariadic || $0.isAutoclosure }
  }
}
