import Foundation

/// Finds the mutants that do not compile, by compiling all together and leaving out those that
/// errors point at.
struct ViableMutants {
  private let module: MutatedModule
  private let scratch: ScratchPackage

  /// How often the module is compiled at most.
  private static let limit = 25

  init(of module: MutatedModule, in scratch: ScratchPackage) {
    self.module = module
    self.scratch = scratch
  }

  /// Leaves out mutants until the module compiles, and writes the woven files.
  ///
  /// - Parameters:
  ///   - numbers: The number of each mutant by its id.
  ///   - count: The number of mutants of all modules.
  /// - Returns: The ids of the mutants that do not compile, with the compiler's messages.
  /// - Throws: ``MutationError`` if the module doesn't compile without any mutant.
  func findUnviable(numbers: [String: Int], count: Int) throws(MutationError) -> [String: String] {
    let paths = module.files.keys.sorted().map { "\(scratch.path)/\($0)" }
    let generated = module.build.sources.filter {
      !$0.hasPrefix(scratch.path + "/")
        || $0.dropFirst(scratch.path.count + 1).hasPrefix(".build/")
    }
    let switchFile = "\(scratch.path)/\(module.folder)/\(SwitchSource.fileName)"
    try write(SwitchSource.text(count: count), to: switchFile)
    let all = paths + generated + [switchFile]
    var unviable: [String: String] = [:]
    for round in 0..<Self.limit {
      // The last resort of the last round: the module as it is.
      let kept = round == Self.limit - 1 ? [:] : numbers.filter { unviable[$0.key] == nil }
      if kept.isEmpty {
        for mutant in module.mutants { unviable[mutant.id] = "the module does not compile" }
      }
      let woven = module.woven(numbers: kept)
      for (file, one) in woven { try write(one.text, to: "\(scratch.path)/\(file)") }
      let errors = try module.build.errors(in: all, folder: scratch.path)
      if errors.isEmpty { return unviable }
      guard !kept.isEmpty else {
        throw MutationError(
          "\(module.build.name) does not compile without mutants: "
            + (errors.first.map { "\($0.file):\($0.line): \($0.message)" } ?? ""))
      }
      let blamed = mutants(blamedBy: errors, in: woven, kept: kept)
      unviable.merge(blamed) { first, _ in first }
      guard blamed.isEmpty else { continue }
      for id in kept.keys { unviable[id] = errors.first?.message }
    }
    return unviable
  }

  private func write(_ text: String, to path: String) throws(MutationError) {
    if let old = try? String(contentsOfFile: path, encoding: .utf8), old == text { return }
    do {
      try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    } catch {
      throw MutationError("can't write \(path): \(error)")
    }
  }

  private func mutants(
    blamedBy errors: [SwiftModuleBuild.Diagnostic], in woven: [String: Weaver.Woven],
    kept: [String: Int]
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
