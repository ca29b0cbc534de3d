import CookiePort
import Foundation

extension CookieStoreFlaws {
  /// A `Set-Cookie` line that a ``FlawedCookieStore`` is storing, with its circumstances.
  struct ReceivedLine: Sendable {
    var line: String
    var request: CookieRequest
    var policy: CookiePolicy
    var now: Date

    /// The values of an attribute, in order, without surrounding spaces and TABs.
    func values(of attribute: String) -> [String] {
      line.components(separatedBy: ";").dropFirst().compactMap {
        let parts = $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts[0].trimmingSpaces.lowercased() == attribute.lowercased() else { return nil }
        return parts.count > 1 ? parts[1].trimmingSpaces : ""
      }
    }

    /// The cookie of the line without its `Domain`, given the domain that this attribute names.
    func cookieForNamedDomain() -> Cookie? {
      let domain = (values(of: "Domain").last ?? "").drop { $0 == "." }.lowercased()
      var cookie = cookie { line, _, _ in line.rewrite("Domain") { _ in nil } }
      cookie?.domain = domain
      cookie?.isHostOnly = false
      return cookie
    }

    /// The cookie that the policy admits after a change, or `nil` if it rejects that too.
    func cookie(
      _ change: (inout String, inout CookieRequest, inout CookiePolicy) -> Void
    ) -> Cookie? {
      var line = line
      var request = request
      var policy = policy
      change(&line, &request, &policy)
      return try? policy.admit(line, from: request, now: now)
    }
  }
}

extension String {
  /// Rewrites the value of an attribute of a `Set-Cookie` line; `nil` removes the attribute.
  mutating func rewrite(_ attribute: String, _ change: (String) -> String?) {
    var parts: [String] = []
    for (index, part) in components(separatedBy: ";").enumerated() {
      let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard index > 0, halves[0].trimmingSpaces.lowercased() == attribute.lowercased() else {
        parts.append(part)
        continue
      }
      let value = halves.count > 1 ? halves[1].trimmingSpaces : ""
      if let new = change(value) { parts.append(" \(attribute)=\(new)") }
    }
    self = parts.joined(separator: ";")
  }

  /// The line with the value of an attribute rewritten; `nil` removes the attribute.
  func rewriting(_ attribute: String, _ change: (String) -> String?) -> String {
    var line = self
    line.rewrite(attribute, change)
    return line
  }
}

extension Substring {
  /// The text without surrounding spaces and TABs.
  fileprivate var trimmingSpaces: String {
    trimmingCharacters(in: CharacterSet(charactersIn: " \t"))
  }
}
