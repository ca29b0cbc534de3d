import Foundation
import SwiftSource

/// A module that is mutated: its files with the places in them.
struct MutatedModule {
  /// The module's build in the copy of the package.
  let build: SwiftModuleBuild

  /// The files, by the path relative to the package.
  let files: [String: File]

  /// One file.
  struct File {
    var source: SourceText
    var points: [MutationPoint]
    var excluded: [ExcludedPlace]
  }

  /// Reads the typed trees of a module's original files, and finds the places in them.
  ///
  /// - Throws: ``MutationError`` if the module does not compile, or if a comment gives no reason.
  init(_ build: SwiftModuleBuild, of scratch: ScratchPackage) throws(MutationError) {
    self.build = build
    let prefix = scratch.path + "/"
    var paths: [String: String] = [:]
    for source in build.sources {
      // A plug-in's output is outside of the package's files, and stays as it is.
      guard source.hasPrefix(prefix), !source.dropFirst(prefix.count).hasPrefix(".build/") else {
        continue
      }
      let file = String(source.dropFirst(prefix.count))
      paths["\(scratch.original)/\(file)"] = file
    }
    let generated = build.sources.filter { source in
      !source.hasPrefix(prefix) || source.dropFirst(prefix.count).hasPrefix(".build/")
    }
    let trees = try build.typedTrees(
      of: paths.keys.sorted() + generated, in: scratch.original)
    var files: [String: File] = [:]
    for (path, file) in paths {
      guard let tree = trees[path], let text = try? String(contentsOfFile: path, encoding: .utf8)
      else { throw MutationError("the compiler printed no typed tree of \(path)") }
      let source = SourceText(text)
      let found = try MutationFinder(file: file, source: source, root: tree)
      files[file] = File(source: source, points: found.points, excluded: found.excluded)
    }
    self.files = files
  }

  /// The mutants, in the order of files and places.
  var mutants: [Mutant] {
    files.sorted { $0.key < $1.key }.flatMap { file in
      file.value.points.flatMap { point in
        point.mutants.indices.filter { !point.leftOut.contains($0) }.map { point.mutants[$0] }
      }
    }
  }

  /// The woven files.
  func woven(numbers: [String: Int]) -> [String: Weaver.Woven] {
    files.mapValues { Weaver.weave($0.points, into: $0.source, numbers: numbers) }
  }

  /// The folder of the module's first file, where the switch goes.
  var folder: String {
    (files.keys.sorted().first.map { $0 as NSString })?.deletingLastPathComponent ?? ""
  }
}
