import ContractTesting
import Testing
import TransportPort

extension Saboteur<TransportFixture> {
  /// Creates a saboteur that follows redirects itself, with one mistake.
  private static func redirecting(
    _ id: String, _ description: String, caughtBy clause: String, saying message: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ configure: @escaping @Sendable (inout BuiltInRedirects) -> Void
  ) -> Saboteur {
    flawed(id, description, caughtBy: clause, saying: message, sourceLocation: sourceLocation) {
      var redirects = BuiltInRedirects()
      configure(&redirects)
      let configured = redirects
      $0.send = { try await configured.send($0, $1, $2, $3) }
    }
  }

  @SaboteurBuilder<TransportFixture> static var redirects: [Saboteur<TransportFixture>] {
    redirecting("post-stays", "keeps POST after 302", caughtBy: "redirect-post", saying: "POST") {
      $0.method = { $0 == 303 ? .get : $1 }
    }
    redirecting("all-to-get", "changes every method to GET after 301", caughtBy: "redirect-post") {
      $0.method = { $0 < 307 ? .get : $1 }
    }
    redirecting(
      "head-to-get", "changes HEAD to GET after 303", caughtBy: "redirect-303", saying: "HEAD"
    ) {
      $0.method = { $0 == 303 ? .get : $1 }
    }
    redirecting(
      "sticky-method", "keeps a custom method after 303", caughtBy: "redirect-303",
      saying: "PURGE"
    ) {
      $0.method = { $0 == 303 && $1 != .head && $1 != "PURGE" ? .get : $1 }
    }
    redirecting(
      "loses-content", "drops the content after 307", caughtBy: "redirect-307", saying: "contents"
    ) {
      $0.keepsBody = false
      $0.keepsContentFields = true
    }
    redirecting(
      "keeps-content-type", "keeps Content-Type without the content", caughtBy: "redirect-fields"
    ) {
      $0.keepsContentFields = true
    }
    redirecting("own-limit", "follows up to 50 redirects itself", caughtBy: "redirect-limit") {
      $0.limit = 50
    }
    redirecting(
      "root-relative", "resolves every Location against the root path",
      caughtBy: "redirect-location",
      saying: "the target of Location: sub"
    ) { _ in }
    redirecting(
      "file-to-host", "treats a file URL as a path on the same host", caughtBy: "redirect-scheme"
    ) {
      $0.location = { $0.replacing("file://", with: "") }
    }
    redirecting(
      "keeps-authorization", "sends Authorization to another origin", caughtBy: "redirect-secrets",
      saying: "Authorization at the other origin"
    ) { $0.secrets = [.cookie, .proxyAuthorization, .host] }
    redirecting("keeps-cookie", "sends Cookie to another origin", caughtBy: "redirect-secrets") {
      $0.secrets = [.authorization, .proxyAuthorization, .host]
    }
    redirecting(
      "keeps-named", "ignores the secret fields of the policy", caughtBy: "redirect-named-secrets"
    ) {
      _ in
    }
    redirecting(
      "follows-unasked", "follows redirects without the policy", caughtBy: "redirect-manual"
    ) { _ in }
    redirecting(
      "replays-as-empty", "follows 307 without content that is not replayable",
      caughtBy: "redirect-one-shot", saying: "expected bodyNotReplayable"
    ) {
      $0.keepsBody = false
    }
  }
}
