import FilesPort
import Foundation
import Testing

@testable import FilesDiskAdapter

@Suite struct FailureTests {
  @Test(arguments: [
    (ENOENT, FilesError.Reason.notFound), (EEXIST, .exists), (ENOTDIR, .notDirectory),
    (EISDIR, .isDirectory), (ENOTEMPTY, .notEmpty), (ELOOP, .tooManyLinks), (EACCES, .notPermitted),
    (EPERM, .notPermitted), (EROFS, .readOnly), (ENOSPC, .noSpace), (EDQUOT, .noSpace),
    (ENAMETOOLONG, .nameTooLong), (ENXIO, .notSupported), (EOPNOTSUPP, .notSupported),
    (EIO, .system(code: EIO)),
  ])
  func `each error of the system has its reason`(_ code: Int32, _ reason: FilesError.Reason) {
    #expect(Failure(code: code).reason == reason)
  }

  @Test func `a call that a signal interrupts is made again, and another error is thrown`() throws {
    var results = [-1, -1, 7]
    let result = try repeated {
      errno = EINTR
      return results.removeFirst()
    }
    #expect(result == 7)
    let error = #expect(throws: Failure.self) {
      _ = try repeated {
        errno = EIO
        return -1
      }
    }
    #expect(error?.code == EIO)
    #expect(try repeated { 0 } == 0)
  }

  @Test func `a failed write takes back what it has added, if nobody else has added something`()
    throws
  {
    // Writing to this descriptor fails.
    let file = Descriptor(open("/dev/null", O_RDONLY | O_CLOEXEC))
    for (size, isTakenBack) in [(off_t(0), true), (1, false)] {
      var wasTakenBack = false
      #expect(throws: Failure.self) {
        try DiskFiles.add([1], to: file, from: size) {
          wasTakenBack = true
          return 0
        }
      }
      #expect(wasTakenBack == isTakenBack)
    }
  }

  @Test func `no link is opened, and no other program inherits a descriptor`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "links-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try #require(symlink("/", folder.path + "/link") == 0)
    let directory = Descriptor(open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
    let error = #expect(throws: Failure.self) { _ = try directory.open("link", O_RDONLY) }
    #expect(error?.code == ELOOP)
    #expect(throws: Failure.self) { _ = try directory.directory("link") }
    #expect(throws: Failure.self) { _ = try directory.names(in: "link") }
    for descriptor in [try directory.open(".", O_RDONLY), try directory.directory(".")] {
      #expect(fcntl(descriptor.raw, F_GETFD) & FD_CLOEXEC != 0)
    }
  }
}
