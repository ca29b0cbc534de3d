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

  @Test("a URL without scheme or host, or an invalid one, throws a typed error")
  func errors() {
    #expect(throws: CookieRequestError.missingScheme("//example.com/")) {
      try CookieRequest("//example.com/")
    }
    #expect(throws: CookieRequestError.missingHost("file:///etc")) {
      try CookieRequest("file:///etc")
    }
    #expect(throws: CookieRequestError.invalidURL("http://a b/")) {
      try CookieRequest("http://a b/")
    }
    #expect(CookieRequestError.invalidHost("a b").description.contains("'a b'"))
  }
}
