import Foundation

/// A folder of failing examples, one JSON file each.
///
/// Files are named `<specification>/<implementation>/<digest>.json`, without the second part if the
/// subject has no name, and written atomically. The examples of a specification and an
/// implementation are replayed before any new run of the two. A file that was moved up into the
/// specification's folder is replayed on every implementation. Exploration never deletes an
/// example: delete the file when the example is obsolete.
public struct ExampleStore: Sendable {
  /// The folder; it is created when the first example is saved.
  public let folder: URL

  /// Creates a store in a folder.
  public init(_ folder: URL) { self.folder = folder }

  /// Creates a store in the folder `.examples` next to a source file.
  ///
  /// The folder is hidden because SwiftPM warns about each visible file of a target that it does not build.
  ///
  /// - Parameter file: The path of the source file.
  public init(besideFile file: String = #filePath) {
    folder = URL(filePath: file).deletingLastPathComponent().appending(path: ".examples")
  }

  /// The path of the folder, from the working directory if that contains it.
  package var shortPath: String {
    let directory = FileManager.default.currentDirectoryPath + "/"
    let path = folder.standardizedFileURL.path
    return path.hasPrefix(directory) ? String(path.dropFirst(directory.count)) : path
  }

  /// Reads the examples of an exploration, and those of its specification.
  ///
  /// - Returns: The valid examples, sorted by name, and an error for each invalid file.
  package func examples<Example: ExampleContent>(
    of name: ExplorationName, as type: Example.Type = StoredExample.self
  ) -> (examples: [(name: String, example: Example)], problems: [ExampleStoreError]) {
    var shared = name
    shared.implementation = nil
    let folders = [folder(of: name), folder(of: shared)]
    var result = examples(in: folders[0], as: type)
    if folders[1] != folders[0] {
      let shared = examples(in: folders[1], as: type)
      result.examples += shared.examples
      result.problems += shared.problems
    }
    return result
  }

  private func examples<Example: ExampleContent>(
    in folder: URL, as type: Example.Type
  ) -> (examples: [(name: String, example: Example)], problems: [ExampleStoreError]) {
    var examples: [(name: String, example: Example)] = []
    var problems: [ExampleStoreError] = []
    var names: [String] = []
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    } catch {
      if FileManager.default.fileExists(atPath: folder.path) {
        problems.append(.unreadable(file: folder.path, "\(error)"))
      }
    }
    for name in names.sorted() where name.hasSuffix(".json") && !name.hasPrefix(".") {
      let file = folder.appending(path: name)
      do {
        let example = try JSONDecoder().decode(type, from: Data(contentsOf: file))
        if example.digest == example.commandDigest {
          examples.append((name, example))
        } else {
          problems.append(.damaged(file: file.path))
        }
      } catch {
        problems.append(.unreadable(file: file.path, "\(error)"))
      }
    }
    return (examples, problems)
  }

  /// Saves an example. It replaces an example with the same commands.
  ///
  /// - Returns: The file's path.
  package func save(
    _ example: some ExampleContent, of name: ExplorationName
  ) throws(ExampleStoreError) -> String {
    let folder = folder(of: name)
    let file = folder.appending(path: example.digest + ".json")
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      let data = try encoder.encode(example) + [UInt8(ascii: "\n")]
      try data.writeDurably(to: file)
    } catch {
      throw .unwritable(file: file.path, "\(error)")
    }
    return file.path
  }

  private func folder(of name: ExplorationName) -> URL {
    name.components.reduce(folder) { folder, component in
      let name = component.map { $0.isLetter || $0.isNumber || $0 == "-" ? $0 : "_" }
      return folder.appending(path: String(name))
    }
  }
}

/// What an example file holds.
package protocol ExampleContent: Codable, Sendable {
  /// The digest of what was run. It is the file's name, and shows when a file was edited in part.
  var digest: String { get }
  /// The digest of what the file says was run.
  var commandDigest: String { get }
}

/// What identifies the marks and the examples of an exploration.
package struct ExplorationName: Hashable {
  /// The specification's type.
  package var specification: String
  /// The implementation's id, if the subject has one.
  package var implementation: String?
  /// Whether faults happen between the commands.
  package var hasFaults = false

  package init(_ specification: String, on implementation: String? = nil) {
    self.specification = specification
    self.implementation = implementation
  }

  package var components: [String] {
    [specification] + (implementation.map { [$0] } ?? []) + (hasFaults ? ["faults"] : [])
  }
}

/// An error for an example file that cannot be read or written.
public enum ExampleStoreError: Error, Sendable, Hashable, CustomStringConvertible {
  case unreadable(file: String, String)
  /// The digest in the file is not that of its commands.
  case damaged(file: String)
  case unwritable(file: String, String)

  public var description: String {
    switch self {
    case .unreadable(let file, let reason): "\(file) cannot be read: \(reason)"
    case .damaged(let file):
      "\(file) was edited or damaged: its commands do not match its digest; restore or delete it"
    case .unwritable(let file, let reason): "\(file) cannot be written: \(reason)"
    }
  }
}

extension Data {
  /// Writes a file so that a crash or a power failure leaves either the old content or the new.
  package func writeDurably(to file: URL) throws {
    let temporary = file.deletingLastPathComponent()
      .appending(path: ".\(file.lastPathComponent).\(UUID().uuidString)")
    do {
      try write(to: temporary, options: .withoutOverwriting)
      let handle = try FileHandle(forWritingTo: temporary)
      try handle.synchronize()
      try handle.close()
      guard rename(temporary.path, file.path) == 0 else {
        throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: file.path])
      }
    } catch {
      try? FileManager.default.removeItem(at: temporary)
      throw error
    }
    // The rename is durable only after the folder is synchronised (fsync(2)).
    let folder = open(file.deletingLastPathComponent().path, O_RDONLY)
    if folder >= 0 {
      fsync(folder)
      close(folder)
    }
  }
}
