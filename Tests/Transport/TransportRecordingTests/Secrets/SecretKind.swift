import Foundation
import SeededRandom
import Testing

/// A kind of secret, with a value of its own.
struct SecretKind: Sendable, CustomTestStringConvertible {
  /// What lets the rules find it.
  enum Sign {
    case name
    case shape
    case nothing
  }

  /// The name of the value where it stands.
  let name: String
  let value: String
  let sign: Sign

  var testDescription: String { "\(name) \(value.prefix(6))" }

  private init(_ name: String, _ value: String, _ sign: Sign) {
    (self.name, self.value, self.sign) = (name, value, sign)
  }
}

extension SecretKind {
  private static let base62 = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
  private static let url64 = base62 + ["-", "_"]
  private static let base36 = Array("abcdefghijklmnopqrstuvwxyz0123456789")
  private static let upper = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
  private static let hex = Array("0123456789abcdef")

  /// Random characters of an alphabet.
  static func random(
    _ alphabet: [Character], _ count: Int, _ generator: inout SplitMix64
  ) -> String {
    String((0..<count).map { _ in alphabet.randomElement(using: &generator) ?? "x" })
  }

  /// Secrets that only their names tell; half of the values are passwords that people choose.
  private static func named(_ generator: inout SplitMix64) -> [SecretKind] {
    let words = [
      "password", "passwd", "userPassword", "new_password", "pwd", "passphrase", "secret",
      "client_secret", "clientSecret", "db_password", "passcode",
    ]
    let keys = [
      "api_key", "apiKey", "X-Api-Key", "access_token", "refreshToken", "id_token", "authToken",
      "X-Auth-Token", "session_id", "sessionToken", "csrf_token", "private_key", "signature", "sig",
      "code", "ticket", "Ocp-Apim-Subscription-Key", "x-functions-key", "credential",
      "oauth_verifier",
      "account_key", "k", "webhookSecret", "jwt", "SAMLResponse", "connectionToken", "license_key",
    ]
    return words.enumerated().map { index, name in
      SecretKind(
        name, ["hunter2", "Tr0ub4dor-3", "s3cretSauce", "geheim123"][index % 4] + "x\(index)", .name
      )
    }
      + keys.map { SecretKind($0, random(base62, 24, &generator), .name) }
      + ["otp", "pin", "cvv", "totp_code"].enumerated().map {
        SecretKind($1, "83\(4 + $0)219", .name)
      }
  }

  private static func shaped(_ generator: inout SplitMix64) -> [SecretKind] {
    func shape(_ prefix: String, _ alphabet: [Character], _ count: Int) -> SecretKind {
      SecretKind("note", prefix + random(alphabet, count, &generator), .shape)
    }
    let json = Data(#"{"alg":"HS256","typ":"JWT"}"#.utf8).base64EncodedString()
    let key = (0..<4).map { _ in random(base62, 64, &generator) }.joined(separator: "\n")
    let kinds: [SecretKind] = [
      shape(json.filter { $0 != "=" } + ".eyJzdWIiOiIxMjM0NTY3ODkwIn0.", url64, 43),
      SecretKind(
        "note", "-----BEGIN RSA PRIVATE KEY-----\n\(key)\n-----END RSA PRIVATE KEY-----", .shape),
      shape("AKIA", upper, 16), shape("ASIA", upper, 16), shape("IQoJb3JpZ2luX2Vj", base62, 200),
      shape("ghp_", base62, 36), shape("gho_", base62, 36), shape("ghs_", base62, 36),
      shape("github_pat_", base62, 82), shape("glpat-", url64, 20),
      shape("xoxb-123456789012-1234567890123-", base62, 24), shape("xoxp-12345678901-", base62, 40),
      shape("xapp-1-A0B1C2-", hex, 64), shape("sk_live_", base62, 24),
      shape("sk_test_", base62, 99),
      shape("rk_live_", base62, 24), shape("whsec_", base62, 32), shape("AIza", url64, 35),
      shape("ya29.", url64, 120), shape("GOCSPX-", url64, 28), shape("1//0g", url64, 60),
      shape("SG.", url64, 22 + 1 + 43), shape("SK", hex, 32), shape("key-", hex, 32),
      shape("npm_", base62, 36), shape("pypi-AgEIcHlwaS5vcmc", url64, 120),
      shape("dckr_pat_", url64, 27),
      shape("hf_", base62, 34), shape("sk-proj-", base62, 48), shape("sk-ant-api03-", url64, 93),
      shape("gsk_", base62, 52), shape("shpat_", hex, 32), shape("dop_v1_", hex, 64),
      shape("hvs.", url64, 90), shape("glsa_", base62, 32), shape("NRAK-", upper, 27),
      shape("PMAK-", hex, 59), shape("figd_", url64, 40), shape("lin_api_", base62, 40),
      shape("dapi", hex, 32), shape("123456789:AA", url64, 33), shape("sbp_", hex, 40),
      shape("hooks.slack.com/services/T0123456/B0123456/", base62, 24),
      shape("tskey-auth-", base62, 32),
      shape("AGE-SECRET-KEY-1", upper, 58), shape("sq0atp-", url64, 22), shape("xkeysib-", hex, 64),
      SecretKind("note", random(hex, 32, &generator) + "-us14", .shape),
      SecretKind(
        "note",
        "M" + random(base62, 25, &generator) + "." + random(base62, 6, &generator) + "."
          + random(base62, 38, &generator), .shape),
      shape("Bearer ", base62, 40),
    ]
    return kinds
  }

  private static func unsigned(_ generator: inout SplitMix64) -> [SecretKind] {
    [
      SecretKind("blob", random(base62, 40, &generator), .nothing),
      SecretKind("blob", random(url64, 43, &generator), .nothing),
      SecretKind("blob", random(base62 + ["+", "/"], 40, &generator), .nothing),
      SecretKind("blob", random(base36, 32, &generator), .nothing),
      SecretKind("blob", random(base62, 24, &generator), .nothing),
    ]
  }

  /// 97 kinds; the same in every process.
  static let all: [SecretKind] = {
    var generator = SplitMix64(seed: 33)
    return named(&generator) + shaped(&generator) + unsigned(&generator)
  }()
}
