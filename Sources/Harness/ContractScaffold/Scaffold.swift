import Foundation
import SystemProcesses

/// The files that turn a protocol into a contract that runs: fixture, clauses, operations, fake and
/// tests.
package struct Scaffold: Sendable {
  /// What to write.
  package struct Options: Sendable {
    /// The package's folder.
    package var package: String
    /// The protocol's name.
    package var name: String
    /// The file that declares it, or `nil` to search the package. Relative to the package's folder.
    package var file: String?
    /// The module that declares it; by default the folder after `Sources`.
    package var module: String?
    /// The folder of the tests; by default `Tests/<module>Tests`.
    package var tests: String?
    /// A Swift expression that creates a fake that exists already.
    package var fake: String?
    /// The types that stand for associated types.
    package var types: [String: String] = [:]

    package init(package: String, name: String) {
      self.package = package
      self.name = name
    }
  }

  /// The files' texts, by their paths relative to the package's folder, in the order of reading.
  package let files: [(path: String, text: String)]

  /// What could not be guessed, one sentence each.
  package let notes: [String]

  /// The lines that the manifest needs, or `nil` if it seems to have them.
  package let manifestLines: String?

  private let folder: String

  /// Reads a protocol, and makes the files for it. Writes nothing.
  ///
  /// - Throws: ``ScaffoldError`` if there is no such protocol, or none that a type could conform to.
  package init(_ options: Options) throws(ScaffoldError) {
    var sources = try PackageSources(in: options.package)
    let place = try ScaffoldPlace(options, in: sources)
    sources.prefer(place.file)
    guard let port = sources.port(options.name) else {
      throw ScaffoldError(.source, "no protocol '\(options.name)'; check the name")
    }
    try Self.check(port, types: options.types)
    let types = Self.types(for: port, given: options.types)
    let scaffold = ScaffoldPort(port, in: sources, types: types)
    let conformers = sources.conformers(to: options.name)
    let doubles = ["InMemory", "Fake", "Mock", "Stub", "Spy", "Preview", "Dummy"]
    let existing = doubles.lazy.prefix(3).compactMap { kind in
      conformers.first { $0.contains(kind) }
    }.first
    let writesFake = options.fake == nil && existing == nil && scaffold.isComplete
    let fake =
      options.fake ?? existing.map { "\($0)()" }
      ?? (writesFake ? Self.creation(of: scaffold) : nil)
    let text = ScaffoldText(
      port: scaffold, module: place.module, fake: fake,
      adapters: conformers.filter { name in !doubles.contains { name.contains($0) } },
      needsSample: types.values.contains("SampleValue"))
    files = Self.files(text, place, writesFake: writesFake)
    notes = ScaffoldNotes(text, chosen: types, given: options.types, existing: existing).all
    manifestLines = place.manifestLines(needsExploration: !scaffold.modelled.isEmpty)
    folder = options.package
  }

  private static func check(
    _ port: PackageSources.Port, types: [String: String]
  ) throws(ScaffoldError) {
    let name = port.declaration.name
    if ["private", "fileprivate"].contains(port.declaration.access) {
      throw ScaffoldError(
        .source, "\(name) is \(port.declaration.access), so tests can't see it; make it internal")
    }
    let hidden = port.associatedTypes.map(\.name).filter {
      !port.declaration.primaryTypes.contains($0)
    }
    if let first = hidden.first {
      let list = (port.declaration.primaryTypes + hidden).joined(separator: ", ")
      throw ScaffoldError(
        .source,
        "'any \(name)' can't say what its associated type '\(first)' is; declare it as "
          + "'protocol \(name)<\(list)>'")
    }
    for type in types.keys.sorted() where !port.associatedTypes.contains(where: { $0.name == type })
    {
      throw ScaffoldError(.arguments, "\(name) has no associated type '\(type)'")
    }
    for type in port.associatedTypes where types[type.name] == nil {
      let known: Set = [
        "Sendable", "Hashable", "Equatable", "Codable", "Encodable", "Decodable", "Identifiable",
      ]
      if type.hasOtherConstraints || !known.isSuperset(of: type.constraints) {
        throw ScaffoldError(
          .arguments,
          "no type is known to satisfy the constraints of '\(type.name)' of \(name); name one: "
            + "--type \(type.name)=…")
      }
    }
    if port.requirements.isEmpty {
      throw ScaffoldError(.source, "\(name) has no requirements, so there is nothing to promise")
    }
  }

  private static func types(
    for port: PackageSources.Port, given: [String: String]
  ) -> [String: String] {
    Dictionary(
      port.associatedTypes.map { ($0.name, given[$0.name] ?? "SampleValue") },
      uniquingKeysWith: { first, _ in first })
  }

  private static func creation(of port: ScaffoldPort) -> String {
    let arguments = port.port.associatedTypes.map { port.types[$0.name] ?? $0.name }
    let list = arguments.isEmpty ? "" : "<\(arguments.joined(separator: ", "))>"
    return "\(port.names.fake)\(list)()"
  }

  private static func files(
    _ text: ScaffoldText, _ place: ScaffoldPlace, writesFake: Bool
  ) -> [(path: String, text: String)] {
    let name = text.names.type
    var files = [("\(place.tests)/\(name)Contract.swift", text.contract)]
    files.append(("\(place.tests)/\(name)ContractTests.swift", text.tests))
    if writesFake {
      files.insert(("\(place.sources)/\(text.names.fake).swift", text.fakeFile), at: 0)
    }
    return files.map { (path: $0.0, text: $0.1) }
  }

  /// Writes all files, or none.
  ///
  /// - Throws: ``ScaffoldError`` if one of the files exists already or can't be written. Then no file
  ///   is changed, and none is left behind.
  package func write() throws(ScaffoldError) {
    try NewFiles(files.map { ("\(folder)/\($0.path)", $0.text) }).write()
    // The toolchain's formatter knows the package's style. Without it the files stay as they are.
    let paths = files.map { "\(folder)/\($0.path)" }
    _ = try? ProgramRun(["swift", "format", "--in-place"] + paths)
  }
}
