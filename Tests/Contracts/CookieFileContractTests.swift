import CCurl
import ContractTesting
import CookieContract
import CookiePort
import Foundation
import SystemProcesses
import Testing
import TransportCurlAdapter

@Suite struct CookieFileContractTests {
  @Test(
    arguments: Contract.cookieFiles.cases(for: .netscape, .libcurl, .cookiejar)
      + Contract.cookieFiles.saboteurCases)
  func holds(_ contractCase: ContractCase<CookieFileFixture>) async throws {
    try await contractCase.verify()
  }
}

extension Implementation<CookieFileFixture> {
  /// libcurl's cookie engine, which reads and writes the files of the program curl.
  static let libcurl =
    CurlLibrary.current.version <= 0x08_0E_01
    ? engine
    : engine.deviating(
      from: "session", "written", "round-trip",
      because: "libcurl 8.23 writes no file of cookies that no server has sent")

  private static let engine: Self = live("libcurl") { scope in
    let folder = try scope.temporaryDirectory()
    scope.witness(file: folder.appending(path: "written"))
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
  .version { _ in AdaptedVersion.curl }

  /// Python's `http.cookiejar.MozillaCookieJar`.
  static let cookiejar: Self = live("cookiejar") { scope in
    let folder = try scope.temporaryDirectory()
    scope.witness(file: folder.appending(path: "written"))
    return CookieFileFixture(session: "") { cookies in
      let file = folder.appending(path: "written").path
      let list = try JSONEncoder().encode(cookies.map(CookieJarEntry.init))
      try runCookieJar("write", file, input: String(decoding: list, as: UTF8.self))
      return try Data(contentsOf: URL(filePath: file))
    } reading: { data in
      let file = folder.appending(path: "read")
      try (Data("# Netscape HTTP Cookie File\n".utf8) + data).write(to: file)
      let list = try runCookieJar("read", file.path)
      return try JSONDecoder().decode([CookieJarEntry].self, from: Data(list.utf8)).map(\.cookie)
    }
  }
  .available(when: "python3 is in PATH (apt-get install python3)") {
    (try? ProgramRun(["python3", "--version"]))?.status == 0
  }
  .version { _ in "http.cookiejar of " + (try runCookieJar("version", "-")) }
  .deviating(
    from: "bad-lines", "empty-value",
    because: "one line with fewer or more columns makes the file unreadable"
  )
  .deviating(
    from: "session", because: "0 is an expiry in 1970, and that of a session cookie is empty"
  )
  .deviating(from: "flags", because: "only TRUE in capitals is true")
  .deviating(
    from: "dotless", because: "a flag that contradicts the domain makes the file unreadable")
}

/// A cookie as the script below passes it.
private struct CookieJarEntry: Codable {
  let name, value, domain, path: String
  let isHostOnly, isSecure, isHTTPOnly: Bool
  let expires: Double?

  init(_ cookie: Cookie) {
    (name, value, domain, path) = (cookie.name, cookie.value, cookie.domain, cookie.path)
    (isHostOnly, isSecure) = (cookie.isHostOnly, cookie.isSecure)
    isHTTPOnly = cookie.isHTTPOnly
    expires = cookie.expires?.timeIntervalSince1970
  }

  var cookie: Cookie {
    Cookie(
      name: name, value: value, domain: domain, isHostOnly: isHostOnly, path: path,
      expires: expires.map(Date.init(timeIntervalSince1970:)), isSecure: isSecure,
      isHTTPOnly: isHTTPOnly, creation: .distantPast)
  }
}

/// Runs an action of a script on a file, and returns what it prints.
@discardableResult
private func runCookieJar(_ action: String, _ file: String, input: String = "") throws -> String {
  let script = """
    import json, platform, sys
    from http.cookiejar import Cookie, MozillaCookieJar
    action, file = sys.argv[1:]
    jar = MozillaCookieJar(file)
    if action == "version":
        print("Python", platform.python_version(), end="")
    elif action == "read":
        jar.load(ignore_discard=True, ignore_expires=True)
        print(json.dumps([{
            "name": c.name, "value": c.value or "", "domain": c.domain.lstrip("."), "path": c.path,
            "isHostOnly": not c.domain_specified, "isSecure": c.secure,
            "isHTTPOnly": c.has_nonstandard_attr("HTTPOnly"), "expires": c.expires} for c in jar]))
    else:
        for c in json.load(sys.stdin):
            dot = "" if c["isHostOnly"] else "."
            jar.set_cookie(Cookie(
                0, c["name"], c["value"], None, False, dot + c["domain"], not c["isHostOnly"], bool(dot), c["path"],
                True, c["isSecure"], c.get("expires") and int(c["expires"]), False, None, None,
                {"HTTPOnly": ""} if c["isHTTPOnly"] else {}))
        jar.save(ignore_discard=True, ignore_expires=True)
    """
  let run = try ProgramRun(["python3", "-c", script, action, file], input: input)
  guard run.status == 0 else { throw CookieJarFailure(description: run.errors) }
  return run.output
}

/// What Python says of a file that it can't read.
private struct CookieJarFailure: Error, CustomStringConvertible {
  let description: String
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
