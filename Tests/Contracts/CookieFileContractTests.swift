import CCurl
import ContractTesting
import CookieContract
import CookiePort
import Foundation
import Testing

@Suite struct CookieFileContractTests {
  @Test(
    arguments: Contract.cookieFiles.cases(for: .netscape, .libcurl)
      + Contract.cookieFiles.saboteurCases)
  func holds(_ contractCase: ContractCase<CookieFileFixture>) async throws {
    try await contractCase.verify()
  }
}

extension Implementation<CookieFileFixture> {
  /// libcurl's cookie engine, which reads and writes the files of the program curl.
  static let libcurl = live("libcurl") { scope in
    let folder = try scope.temporaryDirectory()
    return CookieFileFixture { cookies in
      let file = folder.appending(path: "written").path
      try withCookieEngine { engine in
        for cookie in cookies {
          let columns = [
            (cookie.isHTTPOnly ? "#HttpOnly_" : "") + cookie.domain,
            cookie.isHostOnly ? "FALSE" : "TRUE", cookie.path, cookie.isSecure ? "TRUE" : "FALSE",
            "\(Int(cookie.expires?.timeIntervalSince1970 ?? 0))", cookie.name, cookie.value,
          ]
          ccurl_set_string(engine, CURLOPT_COOKIELIST, columns.joined(separator: "\t"))
        }
        ccurl_set_string(engine, CURLOPT_COOKIEJAR, file)
        ccurl_set_string(engine, CURLOPT_COOKIELIST, "FLUSH")
      }
      return try Data(contentsOf: URL(filePath: file))
    } reading: { data in
      let file = folder.appending(path: "read")
      try data.write(to: file)
      return try withCookieEngine { engine in
        ccurl_set_string(engine, CURLOPT_COOKIEFILE, file.path)
        ccurl_set_string(engine, CURLOPT_COOKIELIST, "RELOAD")
        let list = ccurl_cookies(engine)
        defer { curl_slist_free_all(list) }
        return sequence(first: list) { $0?.pointee.next }.prefix { $0 != nil }.compactMap { entry in
          (entry?.pointee.data).map { Cookie(columns: String(cString: $0)) }
        }
      }
    }
  }
  .lacking(.reports, because: "libcurl ignores bad lines")
  .lacking(.lenience, because: "libcurl knows neither byte order marks nor ports of domains")
  .deviating(
    from: "every-field", kind: .unsupported, because: "the format has no columns for the fields",
    on: [.linux, .apple])
}

/// Calls a closure with a handle of libcurl that has no cookies.
private func withCookieEngine<Result>(_ body: (UnsafeMutableRawPointer) throws -> Result) throws
  -> Result
{
  let engine = try #require(curl_easy_init())
  defer { curl_easy_cleanup(engine) }
  ccurl_set_string(engine, CURLOPT_COOKIEFILE, "")
  return try body(engine)
}

extension Cookie {
  /// Creates a cookie of the seven columns that libcurl returns.
  fileprivate init(columns line: String) {
    let hidden = "#HttpOnly_"
    let columns = line.dropFirst(line.hasPrefix(hidden) ? hidden.count : 0)
      .split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    let seconds = Double(columns[4]) ?? 0
    self.init(
      name: columns[5], value: columns[6],
      domain: String(columns[0].drop { $0 == "." }), isHostOnly: columns[1] == "FALSE",
      path: columns[2], expires: seconds == 0 ? nil : Date(timeIntervalSince1970: seconds),
      isSecure: columns[3] == "TRUE", isHTTPOnly: line.hasPrefix(hidden), creation: .distantPast)
  }
}
