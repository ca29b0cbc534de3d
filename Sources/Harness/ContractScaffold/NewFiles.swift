import Foundation

/// Files to create, all or none.
struct NewFiles {
  private let files: [(path: String, text: String)]

  init(_ files: [(path: String, text: String)]) { self.files = files }

  /// Creates the files and the folders that they need.
  ///
  /// - Throws: ``ScaffoldError`` if a file exists or can't be written. What was created is removed.
  func write() throws(ScaffoldError) {
    // All are checked first, so that the usual mistake creates nothing at all.
    var status = stat()
    for file in files where lstat(file.path, &status) == 0 { throw Self.exists(file.path) }
    var created: [String] = []
    do throws(ScaffoldError) {
      for file in files {
        created += try Self.createFolder((file.path as NSString).deletingLastPathComponent)
        try Self.create(file.path, file.text)
        created.append(file.path)
      }
    } catch {
      // Folders were created before the files in them. remove(3) spares folders with other contents.
      for path in created.reversed() { remove(path) }
      throw error
    }
  }

  private static func exists(_ path: String) -> ScaffoldError {
    ScaffoldError(
      .output, "\(path) exists, and nothing is overwritten; move it away or finish it by hand")
  }

  /// Creates a folder and its parents, and returns those that did not exist.
  private static func createFolder(_ path: String) throws(ScaffoldError) -> [String] {
    var status = stat()
    if path.isEmpty || stat(path, &status) == 0 { return [] }
    let parents = try createFolder((path as NSString).deletingLastPathComponent)
    guard mkdir(path, 0o777) == 0 else {
      let reason = String(cString: strerror(errno))
      for parent in parents.reversed() { rmdir(parent) }
      throw ScaffoldError(.output, "can't create \(path): \(reason)")
    }
    return parents + [path]
  }

  private static func create(_ path: String, _ text: String) throws(ScaffoldError) {
    // O_EXCL: a file that another process has created meanwhile is not overwritten either.
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else {
      if errno == EEXIST { throw exists(path) }
      throw ScaffoldError(.output, "can't create \(path): \(String(cString: strerror(errno)))")
    }
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        let reason = String(cString: strerror(errno))
        close(descriptor)
        unlink(path)
        throw ScaffoldError(.output, "can't write \(path): \(reason)")
      }
      rest = rest.dropFirst(count)
    }
    close(descriptor)
  }
}

/// The formatter of the toolchain, which knows the package's style.
enum SwiftFormat {
  /// Formats files in place. Without `swift` in `PATH` they stay as they are.
  static func format(_ paths: [String]) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["swift", "format", "--in-place"] + paths
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return }
    process.waitUntilExit()
  }
}
