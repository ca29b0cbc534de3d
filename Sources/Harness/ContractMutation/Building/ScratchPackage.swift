import Foundation

/// A copy of a package, where mutants are woven and built. The package itself is only read.
struct ScratchPackage {
  /// The package.
  let original: String

  /// The copy.
  let path: String

  /// Creates a copy that keeps the folder's name, which SwiftPM hands the compiler as the package's
  /// name.
  init(of original: String, in folder: String) {
    self.original = original
    path = "\(folder)/\(URL(fileURLWithPath: original).lastPathComponent)"
  }

  /// Brings the copy up to date. Files with the same contents keep their dates, so that they are
  /// not compiled again.
  ///
  /// - Parameter overrides: Texts that replace the package's, by the path relative to it.
  /// - Throws: ``MutationError`` if a file can't be read or written.
  func update(overriding overrides: [String: String]) throws(MutationError) {
    let files = FileManager.default
    do {
      try files.createDirectory(atPath: path, withIntermediateDirectories: true)
      var wanted = Set(overrides.keys)
      for file in Self.files(in: original) where overrides[file] == nil {
        wanted.insert(file)
        try copy(file)
      }
      for (file, text) in overrides {
        try BuildInput.write(Data(text.utf8), to: "\(path)/\(file)")
      }
      for file in Self.files(in: path) where !wanted.contains(file) {
        try files.removeItem(atPath: "\(path)/\(file)")
      }
    } catch {
      throw MutationError("can't copy the package to \(path): \(error)")
    }
  }

  private func copy(_ file: String) throws {
    let files = FileManager.default
    let source = "\(original)/\(file)"
    let target = "\(path)/\(file)"
    if let link = try? files.destinationOfSymbolicLink(atPath: source) {
      if (try? files.destinationOfSymbolicLink(atPath: target)) == link { return }
      try prepare(target)
      return try files.createSymbolicLink(atPath: target, withDestinationPath: link)
    }
    try BuildInput.write(Data(contentsOf: URL(fileURLWithPath: source)), to: target)
    let mode = try files.attributesOfItem(atPath: source)[.posixPermissions] ?? 0o644
    try files.setAttributes([.posixPermissions: mode], ofItemAtPath: target)
  }

  private func prepare(_ target: String) throws {
    let files = FileManager.default
    try? files.removeItem(atPath: target)
    try files.createDirectory(
      atPath: (target as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
  }

  /// The files and symbolic links of a package, without build products and repositories.
  private static func files(in folder: String) -> [String] {
    let skipped: Set = [".build", ".git", ".swiftpm", "DerivedData"]
    guard let items = FileManager.default.enumerator(atPath: folder) else { return [] }
    var found: [String] = []
    while let item = items.nextObject() as? String {
      if skipped.contains((item as NSString).lastPathComponent) {
        items.skipDescendants()
      } else if items.fileAttributes?[.type] as? FileAttributeType != .typeDirectory {
        found.append(item)
      }
    }
    return found
  }

  // MARK: - The manifest

  /// The manifest of the copy: dependencies by path are found from the copy too, and only the test
  /// targets that can judge the mutants are built.
  ///
  /// - Parameter hasTests: Whether tests without a contract judge too.
  /// - Throws: ``MutationError`` if the package has no manifest.
  func manifest(
    judging targets: [String], byTests hasTests: Bool = false
  ) throws(MutationError) -> String {
    guard var text = try? String(contentsOfFile: "\(original)/Package.swift", encoding: .utf8)
    else {
      throw MutationError("\(original) has no Package.swift; run this in a package's folder")
    }
    let relative = /\.package\s*\((?:[^()]*?)path:\s*"([^"\/][^"]*)"/
    for match in text.matches(of: relative).reversed() {
      let absolute = URL(fileURLWithPath: original).appendingPathComponent(String(match.1))
      text.replaceSubrange(
        match.range.lowerBound..<match.range.upperBound,
        with: match.0.replacing("\"\(match.1)\"", with: "\"\(absolute.standardized.path)\""))
    }
    let list = targets.map { "\"\($0)\"" }.joined(separator: ", ")
    return text
      + Self.pruning.replacing("MUTATED", with: list)
      .replacing("HAS_TESTS", with: "\(hasTests)")
  }

  /// Keeps the mutated targets, the tests that reach them and a contract, and what these need.
  private static let pruning = """


    // Added by 'contracts mutate'.
    do {
      let mutated: Set<String> = [MUTATED]
      var needs: [String: Set<String>] = [:]
      var hasProducts: Set<String> = []
      for target in package.targets {
        for dependency in target.dependencies {
          switch dependency {
          case .targetItem(let name, _), .byNameItem(let name, _):
            needs[target.name, default: []].insert(name)
          case .productItem: hasProducts.insert(target.name)
          @unknown default: break
          }
        }
        for case .plugin(let name, nil) in target.plugins ?? [] {
          needs[target.name, default: []].insert(name)
        }
      }
      func everything(neededBy roots: Set<String>) -> Set<String> {
        var found = roots
        var rest = Array(roots)
        while let name = rest.popLast() {
          for other in needs[name] ?? [] where found.insert(other).inserted { rest.append(other) }
        }
        return found
      }
      let own = Set(package.targets.map { $0.name })
      let tests = package.targets.filter { target in
        guard target.type == .test else { return false }
        let needed = everything(neededBy: [target.name])
        let hasContract =
          HAS_TESTS || needed.contains("ContractTesting") || !needed.isDisjoint(with: hasProducts)
          || !needed.subtracting(own).isEmpty
        return hasContract && !needed.isDisjoint(with: mutated)
      }
      let kept = everything(neededBy: mutated.union(tests.map { $0.name }))
      package.targets.removeAll { !kept.contains($0.name) }
      package.products.removeAll()
    }

    """
}
