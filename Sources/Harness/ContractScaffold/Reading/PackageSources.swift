import Foundation

/// The protocols and types that the Swift files of a package declare, and what follows from them.
struct PackageSources {
  /// The Swift files with the protocols that they declare, in the order of their relative paths.
  private(set) var files: [(path: String, protocols: [ProtocolDeclaration])] = []
  private var protocols: [String: ProtocolDeclaration] = [:]
  private var types: [String: [TypeDeclaration]] = [:]

  /// Reads every Swift file of a package.
  ///
  /// - Throws: ``ScaffoldError`` if the folder can't be listed.
  init(in folder: String) throws(ScaffoldError) {
    for path in try Self.paths(in: folder) {
      guard let text = try? String(contentsOfFile: "\(folder)/\(path)", encoding: .utf8) else {
        continue
      }
      let reader = SourceReader(text)
      files.append((path, reader.protocols))
      for type in reader.types { types[type.name, default: []].append(type) }
    }
    for port in files.flatMap(\.protocols) where protocols[port.name] == nil {
      protocols[port.name] = port
    }
  }

  /// Lets the protocols of a file count if other files declare protocols with the same names.
  mutating func prefer(_ file: String) {
    for port in files.filter({ $0.path == file }).flatMap(\.protocols).reversed() {
      protocols[port.name] = port
    }
  }

  /// The relative paths of a package's Swift files, without build products, dependencies and packages
  /// inside it.
  private static func paths(in folder: String) throws(ScaffoldError) -> [String] {
    let manager = FileManager.default
    guard let items = manager.enumerator(atPath: folder) else {
      throw ScaffoldError(.source, "\(folder) can't be listed; give a folder of a package")
    }
    var paths: [String] = []
    while let item = items.nextObject() as? String {
      let isHidden = (item as NSString).lastPathComponent.hasPrefix(".")
      if isHidden || manager.fileExists(atPath: "\(folder)/\(item)/Package.swift") {
        items.skipDescendants()
      } else if item.hasSuffix(".swift") {
        paths.append(item)
      }
    }
    return paths.sorted()
  }

  /// The names of the types that conform to a protocol, in alphabetical order.
  func conformers(to name: String) -> [String] {
    types.filter { $0.value.contains { $0.inherits.contains(name) } }.map(\.key).sorted()
  }

  // MARK: - Types

  /// The declaration of a type and its extensions; empty if the package declares no such type.
  func declarations(of type: String) -> [TypeDeclaration] { types[type] ?? [] }

  /// A type with the names of the package's types in full, and without aliases.
  ///
  /// - Parameter scope: The type in whose declaration it stands, or nothing.
  func resolved(_ type: String, in scope: String = "") -> String {
    resolved(type, in: scope, depth: 0)
  }

  private func resolved(_ type: String, in scope: String, depth: Int) -> String {
    let text = TypeText(type)
    if let wrapped = text.wrapped { return resolved(wrapped, in: scope, depth: depth) + "?" }
    if let (kind, elements) = text.elements, kind != "tuple" {
      let parts = elements.map { resolved($0, in: scope, depth: depth) }
      switch kind {
      case "array": return "[\(parts[0])]"
      case "dictionary": return "[\(parts.joined(separator: ": "))]"
      default: return "\(type.prefix { $0 != "<" })<\(parts.joined(separator: ", "))>"
      }
    }
    return resolvedName(type, in: scope, depth: depth)
  }

  private func resolvedName(_ name: String, in scope: String, depth: Int) -> String {
    // An alias may name itself by mistake.
    guard depth < 8 else { return name }
    var scope = scope
    while true {
      let full = scope.isEmpty ? name : "\(scope).\(name)"
      if let declarations = types[full] {
        guard let alias = declarations.lazy.compactMap(\.aliased).first else { return full }
        let outer = full.split(separator: ".").dropLast().joined(separator: ".")
        return resolved(alias, in: outer, depth: depth + 1)
      }
      guard !scope.isEmpty else { break }
      scope = scope.split(separator: ".").dropLast().joined(separator: ".")
    }
    let owner = String(name.dropLast(3))
    if name.hasSuffix(".ID"), let id = types[owner]?.lazy.compactMap(\.idType).first {
      return resolved(id, in: owner, depth: depth + 1)
    }
    return name
  }

  /// Whether a type is a structure or enumeration of the package.
  func isValueType(_ type: String) -> Bool {
    declarations(of: type).contains { ["struct", "enum"].contains($0.kind) }
  }

  /// Whether words are those of the name of such a type.
  func isNameOfType(_ words: [String]) -> Bool {
    types.keys.contains { isValueType($0) && DomainSources.words(of: $0) == words }
  }

  /// Types of the standard library and Foundation that are `Hashable` and `Sendable`.
  static let values: Set = [
    "String", "Substring", "Character", "Bool", "Int", "Int8", "Int16", "Int32", "Int64", "UInt",
    "UInt8", "UInt16", "UInt32", "UInt64", "Double", "Float", "Duration", "UUID", "URL", "Data",
    "Date", "TimeInterval", "Decimal", "Locale", "TimeZone", "Never", "Int128", "UInt128",
  ]

  /// Whether values of a type can be sent to other tasks, as far as the sources show.
  func isSendable(_ type: String) -> Bool { isSendable(resolved: resolved(type)) }

  private func isSendable(resolved type: String) -> Bool {
    let text = TypeText(type)
    // The sample that stands for an associated type is written with the other files.
    if ["SampleValue", "SampleValue.ID"].contains(type) || Self.values.contains(type) {
      return true
    }
    if let wrapped = text.wrapped { return isSendable(resolved: wrapped) }
    if let (_, types) = text.elements { return types.allSatisfy(isSendable(resolved:)) }
    let isID = type.hasSuffix(".ID") && declarations(of: type).isEmpty
    return declarations(of: isID ? String(type.dropLast(3)) : type).contains { declaration in
      !Set(declaration.inherits).isDisjoint(with: ["Sendable", "Error", "LocalizedError", "Actor"])
        || declaration.kind == "actor" || declaration.isIsolated
        // The compiler derives it from the members of a type that is not public.
        || (["struct", "enum"].contains(declaration.kind) && declaration.access != "public")
    }
  }

  // MARK: - Requirements

  /// A protocol with the requirements that it inherits.
  struct Port {
    var declaration: ProtocolDeclaration
    /// All requirements, those of inherited protocols first.
    var requirements: [Requirement]
    var associatedTypes: [AssociatedType]
    /// The names of all inherited protocols.
    var ancestors: Set<String>
    /// Inherited protocols whose requirements are not known, because no file of the package declares
    /// them.
    var unknown: [String]

    var isClassBound: Bool { !ancestors.isDisjoint(with: ["AnyObject", "class", "Actor"]) }
    var isActor: Bool { ancestors.contains("Actor") }
    var isSendable: Bool { !ancestors.isDisjoint(with: ["Sendable", "Actor", "Error"]) }
  }

  /// Resolves a protocol.
  func port(_ name: String) -> Port? {
    guard let declaration = protocols[name] else { return nil }
    var port = Port(
      declaration: declaration, requirements: [], associatedTypes: [], ancestors: [], unknown: [])
    var seen: Set<String> = []
    collect(declaration, into: &port, seen: &seen)
    return port
  }

  private func collect(
    _ declaration: ProtocolDeclaration, into port: inout Port, seen: inout Set<String>
  ) {
    guard seen.insert(declaration.name).inserted else { return }
    let markers: Set = [
      "Sendable", "AnyObject", "class", "Actor", "SendableMetatype", "BitwiseCopyable",
    ]
    for name in declaration.inherits {
      port.ancestors.insert(name)
      if let parent = protocols[String(name.prefix { $0 != "<" })] {
        collect(parent, into: &port, seen: &seen)
        if port.declaration.isolation == nil, let isolation = parent.isolation {
          port.declaration.attributes.append(isolation)
        }
      } else if name == "CustomStringConvertible" {
        var description = Requirement(kind: .property, name: "description")
        description.result = "String"
        port.requirements.append(description)
      } else if !markers.contains(name), !port.unknown.contains(name) {
        port.unknown.append(name)
      }
    }
    port.declaration.isConditional = port.declaration.isConditional || declaration.isConditional
    for module in declaration.imports where !port.declaration.imports.contains(module) {
      port.declaration.imports.append(module)
    }
    if declaration.name != port.declaration.name { port.declaration.unread += declaration.unread }
    for type in declaration.associatedTypes {
      if let index = port.associatedTypes.firstIndex(where: { $0.name == type.name }) {
        port.associatedTypes[index].constraints += type.constraints
        port.associatedTypes[index].idConstraints += type.idConstraints
      } else {
        port.associatedTypes.append(type)
      }
    }
    for requirement in declaration.requirements {
      // A protocol may repeat a requirement that it inherits.
      let isRepeated = port.requirements.contains {
        $0.signature == requirement.signature && $0.types == requirement.types
          && $0.isStatic == requirement.isStatic && $0.isAsync == requirement.isAsync
      }
      if !isRepeated { port.requirements.append(requirement) }
    }
  }
}
