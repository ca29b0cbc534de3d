import ContractTesting
import Testing
import TransportPort

extension Saboteur<TransportFixture> {
  /// A transport that follows redirects by itself, with a mistake.
  private static func redirecting(
    _ id: String, _ words: String, caughtBy clause: String, saying message: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ spoil: @escaping @Sendable (inout OwnRedirects) -> Void
  ) -> Saboteur {
    flawed(id, words, caughtBy: clause, saying: message, sourceLocation: sourceLocation) {
      var redirects = OwnRedirects()
      spoil(&redirects)
      let own = redirects
      $0.send = { try await own.send($0, $1, $2, $3) }
    }
  }

  @SaboteurBuilder<TransportFixture> static var redirects: [Saboteur<TransportFixture>] {
    redirecting("post-stays", "its 302 keeps POST", caughtBy: "redirect-post", saying: "POST") {
      $0.method = { $0 == 303 ? .get : $1 }
    }
    redirecting("all-to-get", "its 301 turns every method into GET", caughtBy: "redirect-post") {
      $0.method = { $0 < 307 ? .get : $1 }
    }
    redirecting(
      "head-to-get", "its 303 turns HEAD into GET", caughtBy: "redirect-303", saying: "HEAD"
    ) {
      $0.method = { $0 == 303 ? .get : $1 }
    }
    redirecting(
      "sticky-method", "a method of one's own sticks through its 303", caughtBy: "redirect-303",
      saying: "PURGE"
    ) {
      $0.method = { $0 == 303 && $1 != .head && $1 != "PURGE" ? .get : $1 }
    }
    redirecting(
      "loses-content", "its 307 loses the content", caughtBy: "redirect-307", saying: "contents"
    ) {
      $0.keepsBody = false
      $0.keepsContentFields = true
    }
    redirecting(
      "keeps-content-type", "Content-Type outlives its content", caughtBy: "redirect-fields"
    ) {
      $0.keepsContentFields = true
    }
    redirecting("own-limit", "it follows as many as it likes by itself", caughtBy: "redirect-limit")
    {
      $0.limit = 50
    }
    redirecting(
      "root-relative", "it resolves every Location against the root", caughtBy: "redirect-location",
      saying: "where sub leads"
    ) { _ in }
    redirecting(
      "file-to-host", "it takes file: for a path on the host", caughtBy: "redirect-scheme"
    ) {
      $0.location = { $0.replacing("file://", with: "") }
    }
    redirecting(
      "keeps-authorization", "it keeps Authorization across origins", caughtBy: "redirect-secrets",
      saying: "Authorization at the other origin"
    ) { $0.secrets = [.cookie, .proxyAuthorization, .host] }
    redirecting("keeps-cookie", "it keeps Cookie across origins", caughtBy: "redirect-secrets") {
      $0.secrets = [.authorization, .proxyAuthorization, .host]
    }
    redirecting(
      "keeps-named", "it knows only the usual secrets", caughtBy: "redirect-named-secrets"
    ) {
      _ in
    }
    redirecting("follows-unasked", "it follows by itself", caughtBy: "redirect-manual") { _ in }
    redirecting(
      "replays-as-empty", "it sends 307 on without the content that it can't make again",
      caughtBy: "redirect-one-shot", saying: "expected bodyNotReplayable"
    ) {
      $0.keepsBody = false
    }
  }
}
