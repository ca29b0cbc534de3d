import Foundation

/// A temporary folder with files.
struct SampleFolder {
  let path: String

  /// Creates a folder.
  ///
  /// - Parameter files: The texts of its files by their relative paths.
  init(_ files: [String: String] = [:]) throws {
    path =
      FileManager.default.temporaryDirectory
      .appendingPathComponent("mutation-tests-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    for (name, text) in files { try write(text, to: name) }
  }

  /// Calls a function with a folder, and removes the folder.
  static func with<Result>(
    _ files: [String: String] = [:], _ body: (SampleFolder) throws -> Result
  ) throws -> Result {
    let folder = try SampleFolder(files)
    defer { folder.remove() }
    return try body(folder)
  }

  func remove() { try? FileManager.default.removeItem(atPath: path) }

  /// Writes a file, and creates its folder.
  func write(_ text: String, to name: String) throws {
    let file = "\(path)/\(name)"
    try FileManager.default.createDirectory(
      atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try text.write(toFile: file, atomically: true, encoding: .utf8)
  }

  /// The text of a file, or `nil` if there is none.
  func text(_ name: String) -> String? {
    try? String(contentsOfFile: "\(path)/\(name)", encoding: .utf8)
  }
}
