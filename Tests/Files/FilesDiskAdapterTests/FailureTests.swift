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
}
