import Foundation

@testable import ContractMutation

/// A source file in a temporary package, read by the compiler.
struct TypedSource {
  let scratch: ScratchPackage
  let module: MutatedModule
  let folder: String

  /// Lets the compiler read a file of a module, and finds the places in it.
  ///
  /// - Parameter text: The file that is mutated.
  init(_ text: String) throws {
    let files = try SampleFolder(["sample/Sample.swift": text])
    folder = files.path
    let original = "\(folder)/sample"
    scratch = ScratchPackage(of: original, in: "\(folder)/copy")
    try scratch.update(overriding: [:])
    let build = SwiftModuleBuild(
      name: "Sample", compiler: "swiftc", sources: ["\(scratch.path)/Sample.swift"],
      arguments: ["-module-name", "Sample", "-swift-version", "6", "-parse-as-library"])
    module = try MutatedModule(build, of: scratch)
  }

  /// Removes the files.
  func remove() { try? FileManager.default.removeItem(atPath: folder) }

  /// The mutants as `operator: original → replacement`.
  var changes: [String] {
    module.mutants.map { "\($0.operator.rawValue): \($0.original) → \($0.replacement)" }
  }

  /// The number of each mutant.
  var numbers: [String: Int] {
    Dictionary(uniqueKeysWithValues: module.mutants.enumerated().map { ($1.id, $0 + 1) })
  }

  /// Weaves all mutants, and returns those that do not compile.
  func unviable() throws -> [String] {
    let ids = try ViableMutants(
      of: module, in: scratch, numbers: numbers, count: numbers.count
    ).findUnviable()
    return module.mutants.filter { ids[$0.id] != nil }.map {
      "\($0.operator.rawValue): \($0.original) → \($0.replacement)"
    }
  }

  /// The changes of a text. The files are removed.
  static func changes(of text: String) throws -> [String] {
    let source = try TypedSource(text)
    defer { source.remove() }
    return source.changes
  }
}
