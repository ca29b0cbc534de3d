import CookiePort
import Foundation
import Testing

@Suite("Errors of the port")
struct CookieErrorTests {
  @Test("every rejection has a distinct description", arguments: CookieRejection.allCases)
  func rejections(_ rejection: CookieRejection) {
    let others = CookieRejection.allCases.filter { $0 != rejection }.map(\.description)
    #expect(!others.contains(rejection.description))
    #expect(CookieStoreError.rejected(rejection).description.contains(rejection.description))
  }

  @Test("a storage failure names its subject", arguments: CookieStorageFailure.Kind.allCases)
  func failures(_ kind: CookieStorageFailure.Kind) {
    let failure = CookieStorageFailure(kind, subject: "/x/jar.db", detail: "code 13")
    #expect(CookieStoreError.storage(failure).description.hasPrefix("/x/jar.db: "))
    #expect(failure.description.hasSuffix("(code 13)"))
  }

  @Test(
    "a storage failure says what to do",
    arguments: zip(
      CookieStorageFailure.Kind.allCases,
      [
        "not a cookie store: choose another path",
        "the file is damaged: salvage it, restore a backup, or remove it",
        "a newer version of this package wrote the file: update the package",
        "the file or its directory can't be read or written: check permissions",
        "the file's directory doesn't exist: create it",
        "the disk is full: free some space and try again",
        "another handle has locked the file: try again, or increase the timeout",
        "the file was moved or deleted: open the store again",
        "the store has been closed: open it again",
        "the clock is not within the years 1 to 9999: set it", "the storage failed",
      ]))
  func advice(_ kind: CookieStorageFailure.Kind, _ advice: String) {
    #expect("\(CookieStorageFailure(kind, subject: "s", detail: ""))" == "s: \(advice)")
  }

  @Test("a URL without scheme or host, or an invalid one, throws a typed error")
  func errors() throws {
    #expect(throws: CookieRequestError.missingScheme("//example.com/")) {
      try CookieRequest("//example.com/")
    }
    #expect(throws: CookieRequestError.missingHost("file:///etc")) {
      try CookieRequest("file:///etc")
    }
    #expect(throws: CookieRequestError.missingHost("file:///")) {
      try CookieRequest(try #require(URL(string: "file:///")))
    }
    #expect(throws: CookieRequestError.invalidURL("http://a b/")) {
      try CookieRequest("http://a b/")
    }
    #expect(try CookieRequest("HTTPS://a.b/").isSecure && !CookieRequest("http://a.b/").isSecure)
    #expect(CookieRequestError.invalidHost("a b").description.contains("'a b'"))
  }
}
