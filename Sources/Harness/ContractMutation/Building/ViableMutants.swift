import Foundation
import SwiftSource

/// Finds the mutants that do not compile.
///
/// All are compiled together, and those that errors point at are left out until the module compiles.
/// An error may point at several, so these are then tried again in halves.
struct ViableMutants {
  private let module: MutatedModule
  private let scratch: ScratchPackage
  private let numbers: [String: Int]

  /// The module's sources: the woven ones, those of plug-ins and the switch.
  private let sources: [String]

  /// How often the module is compiled at most before it compiles, and after that.
  private static let limits = (leavingOut: 25, restoring: 40)

  /// Writes the switch.
  ///
  /// - Parameters:
  ///   - numbers: The number of each mutant by its id.
  ///   - count: The number of mutants of all modules.
  init(
    of module: MutatedModule, in scratch: ScratchPackage, numbers: [String: Int], count: Int
  ) throws(MutationError) {
    self.module = module
    self.scratch = scratch
    self.numbers = numbers.filter { [own = Set(module.mutants.map(\.id))] in own.contains($0.key) }
    let generated = module.build.sources.filter {
      !$0.hasPrefix(scratch.path + "/")
        || $0.dropFirst(scratch.path.count + 1).hasPrefix(".build/")
    }
    let switchFile = "\(scratch.path)/\(module.folder)/\(SwitchSource.fileName)"
    sources =
      module.files.keys.sorted().map { "\(scratch.path)/\($0)" } + generated + [switchFile]
    try Self.write(SwitchSource.text(count: count), to: switchFile)
  }

  /// Leaves out mutants until the module compiles, and writes the woven files.
  ///
  /// - Returns: The ids of the mutants that do not compile, with the compiler's messages.
  /// - Throws: ``MutationError`` if the module doesn't compile without any mutant.
  func findUnviable() throws(MutationError) -> [String: String] {
    var unviable: [String: String] = [:]
    for round in 0..<Self.limits.leavingOut {
      // The last resort of the last round: the module as it is.
      let isLast = round == Self.limits.leavingOut - 1
      let kept = isLast ? [:] : numbers.filter { unviable[$0.key] == nil }
      if kept.isEmpty {
        for mutant in module.mutants { unviable[mutant.id] = "the module does not compile" }
      }
      let (errors, woven) = try compile(kept)
      if errors.isEmpty { break }
      guard !kept.isEmpty else {
        throw MutationError(
          "\(module.build.name) does not compile without mutants: "
            + (errors.first.map { "\($0.file):\($0.line): \($0.message)" } ?? ""))
      }
      let blamed = mutants(blamedBy: errors, in: woven, among: kept)
      unviable.merge(blamed) { first, _ in first }
      guard blamed.isEmpty else { continue }
      for id in kept.keys { unviable[id] = errors.first?.message }
    }
    try restore(&unviable)
    return unviable
  }

  /// Compiles the module with some mutants.
  private func compile(_ kept: [String: Int]) throws(MutationError) -> (
    errors: [SwiftModuleBuild.Diagnostic], woven: [String: Weaver.Woven]
  ) {
    let woven = module.woven(numbers: kept)
    for (file, one) in woven { try Self.write(one.text, to: "\(scratch.path)/\(file)") }
    return (try module.build.errors(in: sources, folder: scratch.path), woven)
  }

  // MARK: - Restoring

  /// Restores the mutants that were left out only because of others.
  ///
  /// The mutants of different declarations are tried at the same time. They are restored only if
  /// the module compiles with all of them, because one error may hide another.
  private func restore(_ unviable: inout [String: String]) throws(MutationError) {
    let leftOut = module.mutants.filter { unviable[$0.id] != nil }
    var waiting = Dictionary(grouping: leftOut) { $0.file + ":" + $0.declaration }
      .mapValues { Self.halves(of: $0.map(\.id)) }
    var compiles = true
    for _ in 0..<Self.limits.restoring where !waiting.isEmpty {
      let tried = waiting.compactMapValues(\.first)
      let ids = Set(tried.values.joined())
      let (errors, woven) = try compile(
        numbers.filter { unviable[$0.key] == nil || ids.contains($0.key) })
      compiles = errors.isEmpty
      if compiles { for id in ids { unviable[id] = nil } }
      let blamed = mutants(
        blamedBy: errors, in: woven, among: numbers.filter { ids.contains($0.key) })
      let failing = tried.filter { $0.value.contains { blamed[$0] != nil } }
      for (declaration, trial) in failing.isEmpty ? tried : failing {
        waiting[declaration]?.removeFirst()
        guard !compiles else { continue }
        if trial.count > 1 {
          waiting[declaration]?.insert(contentsOf: Self.halves(of: trial), at: 0)
        } else if let message = blamed[trial[0]] {
          unviable[trial[0]] = message
        }
      }
      waiting = waiting.filter { !$0.value.isEmpty }
    }
    if !compiles { _ = try compile(numbers.filter { unviable[$0.key] == nil }) }
  }

  private static func halves(of ids: [String]) -> [[String]] {
    let middle = (ids.count + 1) / 2
    return [Array(ids[..<middle]), Array(ids[middle...])].filter { !$0.isEmpty }
  }

  private static func write(_ text: String, to path: String) throws(MutationError) {
    do {
      try BuildInput.write(Data(text.utf8), to: path)
    } catch {
      throw MutationError("can't write \(path): \(error)")
    }
  }

  private func mutants(
    blamedBy errors: [SwiftModuleBuild.Diagnostic], in woven: [String: Weaver.Woven],
    among kept: [String: Int]
  ) -> [String: String] {
    var blamed: [String: String] = [:]
    func blame(_ ids: [String], _ message: String) {
      for id in ids where blamed[id] == nil { blamed[id] = message }
    }
    for error in errors {
      let file = String(error.file.dropFirst(scratch.path.count + 1))
      guard let text = woven[file], let points = module.files[file]?.points,
        let offset = SourceText(text.text).offset(line: error.line, column: error.column)
      else { continue }
      func ids(_ indices: some Sequence<Int>) -> [String] {
        indices.flatMap { points[$0].mutants.map(\.id) }.filter { kept[$0] != nil }
      }
      // A missing value or return is blamed where it is needed, not where a mutant took it away.
      let isFlow = Self.isAboutControlFlow(error.message)
      let inner = text.ranges.filter { !isFlow && $0.range.contains(offset) }
        .sorted { $0.range.count < $1.range.count }
        .map { ids([$0.point]) }.first { !$0.isEmpty }
      let suspects = Self.suspects(of: error.message, near: offset, in: text, points)
      blame(inner ?? suspects.map { ids($0) }.first { !$0.isEmpty } ?? [], error.message)
    }
    return blamed
  }

  private static func isAboutControlFlow(_ message: String) -> Bool {
    ["initializ", "missing return", "isn't called on all paths", "fall through"]
      .contains { message.contains($0) }
  }

  /// The places in the declaration around an error, in groups from the most suspicious to the
  /// least: statements about the variable that the message names, other statements, and the rest.
  private static func suspects(
    of message: String, near offset: Int, in text: Weaver.Woven, _ points: [MutationPoint]
  ) -> [[Int]] {
    guard
      let nearest = text.ranges.filter({ $0.range.lowerBound <= offset })
        .max(by: { $0.range.lowerBound < $1.range.lowerBound })
    else { return [] }
    let declaration = points[nearest.point].mutants[0].declaration
    let all = points.indices.filter { points[$0].mutants[0].declaration == declaration }
    let skipping = all.filter {
      [.swallowedError, .neighbourCase].contains(points[$0].mutants[0].operator)
    }
    let removals = all.filter { points[$0].mutants[0].operator == .removal }
    let name = message.firstMatch(of: /'(?:self\.)?([^']+)'/).map { String($0.1) } ?? ""
    let named = removals.filter { index in
      let original = points[index].mutants[0].original
      return !name.isEmpty
        && (original.hasPrefix("\(name) =") || original.hasPrefix("self.\(name) ="))
    }
    return [named, skipping, removals, all]
  }
}
