import Foundation

/// The real file system, by its system calls, below a root folder.
struct DiskFiles: Files {
  let root: String

  func write(_ bytes: [UInt8], to path: String) throws(FilesError) {
    // The superuser may write to read-only files.
    var status = stat()
    if stat(full(path), &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_mode & 0o222 == 0
    {
      throw .notAllowed
    }
    let descriptor = try check(open(full(path), O_WRONLY | O_CREAT | O_TRUNC, 0o644))
    defer { close(descriptor) }
    _ = bytes.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
  }

  func read(_ path: String) throws(FilesError) -> [UInt8] {
    let descriptor = try check(open(full(path), O_RDONLY))
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 8192)
    let count = Foundation.read(descriptor, &bytes, bytes.count)
    try check(Int32(count))
    return Array(bytes.prefix(count))
  }

  func makeFolder(_ path: String) throws(FilesError) { try check(mkdir(full(path), 0o755)) }

  func link(_ path: String, to target: String) throws(FilesError) {
    try check(symlink(target, full(path)))
  }

  func target(_ path: String) throws(FilesError) -> String {
    var bytes = [CChar](repeating: 0, count: 4096)
    let count = readlink(full(path), &bytes, bytes.count)
    if count < 0, errno == EINVAL { throw .notLink }
    try check(Int32(count))
    return String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  func remove(_ path: String) throws(FilesError) {
    var status = stat()
    try check(lstat(full(path), &status))
    try check(
      status.st_mode & S_IFMT == S_IFDIR ? rmdir(full(path)) : unlink(full(path)))
  }

  func move(_ from: String, to path: String) throws(FilesError) {
    if rename(full(from), full(path)) != 0 {
      if errno == EINVAL { throw .intoItself }
      try check(-1)
    }
  }

  func copy(_ from: String, to path: String) throws(FilesError) {
    var status = stat()
    try check(lstat(full(from), &status))
    var there = stat()
    if lstat(full(path), &there) == 0 { throw .exists }
    switch status.st_mode & S_IFMT {
    case S_IFLNK: try link(path, to: try target(from))
    case S_IFDIR:
      let names = try list(from)
      let folder = path.split(separator: "/").dropLast().joined(separator: "/")
      if let outer = realpath(full(from), nil), let inner = realpath(root + "/" + folder, nil) {
        defer {
          free(outer)
          free(inner)
        }
        if (String(cString: inner) + "/").hasPrefix(String(cString: outer) + "/") {
          throw .intoItself
        }
      }
      try makeFolder(path)
      for name in names { try copy("\(from)/\(name)", to: "\(path)/\(name)") }
    default:
      let bytes = try read(from)
      try write(bytes, to: path)
      if status.st_mode & 0o222 == 0 { try setReadOnly(true, at: path) }
    }
  }

  func list(_ path: String) throws(FilesError) -> [String] {
    guard let folder = opendir(full(path)) else {
      try check(-1)
      return []
    }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  func setReadOnly(_ isReadOnly: Bool, at path: String) throws(FilesError) {
    var status = stat()
    try check(stat(full(path), &status))
    if status.st_mode & S_IFMT == S_IFDIR { throw .isFolder }
    try check(chmod(full(path), isReadOnly ? 0o444 : 0o644))
  }

  func isReadOnly(_ path: String) throws(FilesError) -> Bool {
    var status = stat()
    try check(stat(full(path), &status))
    return status.st_mode & 0o222 == 0
  }

  private func full(_ path: String) -> String { path.isEmpty ? "" : root + "/" + path }

  @discardableResult
  private func check(_ result: Int32) throws(FilesError) -> Int32 {
    guard result < 0 else { return result }
    switch errno {
    case ENOENT: throw .missing
    case EEXIST: throw .exists
    case ENOTDIR: throw .notFolder
    case EISDIR: throw .isFolder
    case ENOTEMPTY: throw .notEmpty
    case ELOOP: throw .loop
    case EINVAL: throw .intoItself
    case EBUSY: throw .busy
    default: throw .notAllowed
    }
  }
}
