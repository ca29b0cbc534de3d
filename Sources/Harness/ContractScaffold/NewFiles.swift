import Foundation

/// Files to create, all or none.
struct NewFiles {
  private let files: [(path: String, text: String)]

  init(_ files: [(path: String, text: String)]) { self.files = files }

  /// Creates the files and the folders that they need.
  ///
  /// - Throws: ``ScaffoldError`` if a file exists or can't be written. The files that were created are
  ///   removed.
  func write() throws(ScaffoldError) {
    let manager = FileManager.default
    // All are checked first, so that the usual mistake creates nothing at all.
    for file in files where (try? manager.attributesOfItem(atPath: file.path)) != nil {
      throw ScaffoldError(
        .output,
        "\(file.path) exists, and nothing is overwritten; move it away or finish it by hand")
    }
    for (index, file) in files.enumerated() {
      let url = URL(fileURLWithPath: file.path)
      do {
        try manager.createDirectory(
          at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        // A file that another process has created meanwhile is not overwritten either.
        try Data(file.text.utf8).write(to: url, options: .withoutOverwriting)
      } catch {
        for created in files.prefix(index) { try? manager.removeItem(atPath: created.path) }
        throw ScaffoldError(.output, "can't create \(file.path): \(error.localizedDescription)")
      }
    }
  }
}
