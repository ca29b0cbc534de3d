import FilesPort
import Foundation
import SystemPlatform

/// An open file or directory, closed with its last reference.
final class Descriptor: Sendable {
  let raw: Int32

  init(_ raw: Int32) { self.raw = raw }

  deinit { close(raw) }

  /// Opens an entry of a directory.
  func open(_ name: Name, _ flags: Int32) throws(Failure) -> Descriptor {
    try create(name, flags, mode: mode_t())
  }

  /// Opens an entry of a directory, and creates it if the flags say so.
  func create(_ name: Name, _ flags: Int32, mode: mode_t) throws(Failure) -> Descriptor {
    Descriptor(try check(openat(raw, name.cString, flags | O_NOFOLLOW | O_CLOEXEC, mode)))
  }

  /// Opens a directory in this one, only to look up names: that needs no permission to read it.
  func directory(_ name: Name) throws(Failure) -> Descriptor {
    Descriptor(try check(openDirectory(name.cString, in: raw)))
  }

  /// The attributes of an entry, or of the directory itself for `.`. Links are not followed.
  func attributes(_ name: Name) throws(Failure) -> stat {
    var attributes = stat()
    try check(fstatat(raw, name.cString, &attributes, AT_SYMLINK_NOFOLLOW))
    return attributes
  }

  /// What a link contains.
  func target(_ name: Name) throws(Failure) -> Name {
    var bytes = [CChar](repeating: .zero, count: Int(PATH_MAX))
    let count = try repeated { readlinkat(raw, name.cString, &bytes, bytes.count) }
    return Name(bytes[..<count].map { UInt8(bitPattern: $0) })
  }

  /// The bytes of a file.
  func size() throws(Failure) -> off_t {
    var attributes = stat()
    try check(fstat(raw, &attributes))
    return attributes.st_size
  }

  /// Reads to the end.
  func read() throws(Failure) -> [UInt8] {
    let handle = FileHandle(fileDescriptor: raw)
    do { return [UInt8](try handle.readToEnd() ?? Data()) } catch { throw Failure(code: EIO) }
  }

  /// Writes all bytes, unless it throws.
  func write(_ bytes: [UInt8]) throws(Failure) {
    var position = 0
    try write(bytes, from: &position)
  }

  /// Writes all bytes, or up to the position at which it throws.
  func write(_ bytes: [UInt8], from position: inout Int) throws(Failure) {
    while position < bytes.count {
      position += try repeated {
        bytes.withUnsafeBytes {
          let rest = UnsafeRawBufferPointer(rebasing: $0[position...])
          return systemWrite(raw, rest.baseAddress, rest.count)
        }
      }
    }
  }

  /// Creates directories, each in the one before.
  func createDirectories(_ names: [Name]) throws(Failure) {
    var directory = self
    for name in names {
      do throws(Failure) { try check(mkdirat(directory.raw, name.cString, 0o777)) } catch {
        // Somebody else may have made it meanwhile.
        guard (try? directory.directory(name)) != nil else { throw error }
      }
      directory = try directory.directory(name)
    }
  }

  /// Makes sure that changes of a directory survive a power loss, if it may be read.
  func syncEntries() throws(Failure) {
    guard let listing = try? open(".", O_DIRECTORY) else { return }
    try check(fsync(listing.raw))
  }

  /// Whether the user may use an entry so.
  func allows(_ mode: Int32, _ name: Name) -> Bool {
    faccessat(raw, name.cString, mode, AT_EACCESS) == 0
  }

  /// The names in a directory in this one, without `.` and `..`.
  func names(in directory: Name) throws(Failure) -> [Name] {
    let flags = O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
    let listing = try check(openat(raw, directory.cString, flags))
    guard let stream = fdopendir(listing) else {
      defer { close(listing) }
      throw Failure(code: errno)
    }
    // This closes the descriptor, too.
    defer { closedir(stream) }
    var names: [Name] = []
    while true {
      errno = 0
      guard let entry = readdir(stream) else {
        if errno != 0 { throw Failure(code: errno) }
        return names
      }
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { Name(Array($0.prefix { $0 != 0 })) }
      if name != ".", name != ".." { names.append(name) }
    }
  }
}

/// A name in a directory. It need not be UTF-8.
struct Name: Sendable, Equatable, ExpressibleByStringLiteral {
  let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  init(_ text: String) { bytes = Array(text.utf8) }

  init(stringLiteral text: String) { self.init(text) }

  var cString: [CChar] { bytes.map { CChar(bitPattern: $0) } + [0] }

  /// The name as text, or `nil` if it is not UTF-8.
  var text: String? { String(validating: bytes, as: UTF8.self) }
}

/// An error number.
struct Failure: Error {
  var code: Int32

  /// The error of the port that it means.
  var reason: FilesError.Reason {
    switch code {
    case ENOENT: .notFound
    case EEXIST: .exists
    case ENOTDIR: .notDirectory
    case EISDIR: .isDirectory
    case ENOTEMPTY: .notEmpty
    case ELOOP: .tooManyLinks
    case EACCES, EPERM: .notPermitted
    case EROFS: .readOnly
    case ENOSPC, EDQUOT: .noSpace
    case ENAMETOOLONG: .nameTooLong
    case ENXIO, EOPNOTSUPP: .notSupported
    default: .system(code: code)
    }
  }
}

/// The result of a call, or the error that it left.
@discardableResult
func check(_ result: Int32) throws(Failure) -> Int32 {
  if result < 0 { throw Failure(code: errno) }
  return result
}

/// The result of a call, or the error that it left.
func check<Value>(_ result: Value?) throws(Failure) -> Value {
  guard let result else { throw Failure(code: errno) }
  return result
}

/// Calls the system again while signals interrupt it. Returns the result, or throws the error that it left.
func repeated(_ call: () -> Int) throws(Failure) -> Int {
  while true {
    let result = call()
    if result >= 0 { return result }
    if errno != EINTR { throw Failure(code: errno) }
  }
}

// `write` names a method here.
private func systemWrite(_ raw: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  write(raw, bytes, count)
}
