import Foundation

/// Passes bytes to the parsers of `Set-Cookie`, dates, hosts and `cookies.txt` and checks
/// invariants.
///
/// `Fuzzing/run` compiles this file together with the sources of `CookiePort`. A violated invariant
/// traps, and libFuzzer saves the input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzSetCookie(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = UnsafeBufferPointer(start: start, count: count)
  // The first byte selects the parser and its options; the other bytes are its input.
  let choice = bytes.first ?? 0
  let text = String(decoding: bytes.dropFirst(), as: UTF8.self)
  switch choice & 7 {
  case 0: checkDate(text)
  case 1 where choice & 8 != 0: checkFile(Data(bytes.dropFirst()))
  case 1: checkHost(text)
  default: checkLine(text, choice)
  }
  return 0
}

private let now = Date(timeIntervalSince1970: 1_700_000_000)

private let requests = ["https://a.example.com/p;q/x", "http://example.com/", "http://1.2.3.4/"]
  .compactMap { try? CookieRequest($0) }

private func checkLine(_ line: String, _ choice: UInt8) {
  let profile: CookiePolicy.Profile = choice & 8 == 0 ? .rfc6265bis : .rfc6265
  guard let read = try? SetCookie(line, profile: profile) else { return }
  precondition(!(read.name + read.value).utf8.contains { $0 == 0x3B || $0.isCookieControl })
  precondition(!read.name.utf8.contains(0x3D))
  if profile == .rfc6265bis {
    precondition(read.name.utf8.count + read.value.utf8.count <= 4096)
    precondition(read.domain.utf8.count <= 1024 && (read.path ?? "").utf8.count <= 1024)
  }
  // The pair without attributes is parsed to the same name and value.
  guard let again = try? SetCookie(read.name + "=" + read.value, profile: profile),
    again.name.hasSameBytes(as: read.name), again.value.hasSameBytes(as: read.value)
  else { preconditionFailure("the name and value are not parsed again: \(line.debugDescription)") }

  let policy = CookiePolicy(profile: profile)
  let request = requests[Int(choice >> 4) % requests.count]
  guard let cookie = try? policy.admit(line, from: request, now: now) else { return }
  precondition(cookie.path.utf8.first == 0x2F)
  precondition(DomainMatch.matches(host: request.host, domain: cookie.domain))
  // An accepted cookie can be restored unchanged, and cannot inject a second cookie into a request.
  precondition((try? policy.restorable(cookie, now: now)) == cookie)
  precondition(!cookie.serialized.utf8.contains(0x3B))
  var jar = CookieJar(policy: policy)
  _ = try? jar.store(line, from: request, now: now)
  precondition(jar.count == (cookie.expires.map { $0 <= now } == true ? 0 : 1))
  precondition(jar.all(now: now).allSatisfy { $0 == cookie })
}

private func checkDate(_ text: String) {
  guard let date = CookieDate.parse(text) else { return }
  precondition(date <= CookieDate.latest && date.timeIntervalSince1970 >= -11_644_473_600)
  precondition(CookieDate.parse(CookieDate.format(date)) == date)
}

private func checkHost(_ text: String) {
  guard let host = CanonicalHost(text) else { return }
  precondition(host.name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !(0x41...0x5A).contains($0) })
  precondition(CanonicalHost(host.name) == host)
  precondition(
    DomainMatch.domains(covering: host.name).allSatisfy {
      DomainMatch.matches(host: host.name, domain: $0)
    })
}

private func checkFile(_ data: Data) {
  var cookies: [Cookie]
  do throws(CookieFileError) {
    cookies = try NetscapeCookieFile.cookies(in: data, now: now)
  } catch {
    cookies = error.readable
  }
  guard let written = try? NetscapeCookieFile.data(for: cookies),
    let read = try? NetscapeCookieFile.cookies(in: written, now: now)
  else { preconditionFailure("the cookies of a parsed file cannot be written and parsed again") }
  precondition(read == cookies)
}
