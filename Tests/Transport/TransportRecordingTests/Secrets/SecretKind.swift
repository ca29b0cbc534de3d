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
  /// The rule of a shape that has no prefix.
  let rule: String?
  let value: String
  let sign: Sign

  var testDescription: String { "\(name) \(value.prefix(6))" }

  private init(_ name: String, _ value: String, _ sign: Sign, rule: String? = nil) {
    (self.name, self.value, self.sign, self.rule) = (name, value, sign, rule)
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
      "password", "passwd", "userPassword", "pwd", "passphrase", "client_secret", "clientSecret",
      "db_password",
    ]
    let keys = [
      "X-Api-Key", "access_token", "refreshToken", "id_token", "X-Auth-Token", "session_id",
      "csrf_token", "private_key", "sig", "code", "k", "SAMLResponse",
    ]
    return words.enumerated().map { index, name in
      SecretKind(
        name, ["hunter2", "Tr0ub4dor-3", "s3cretSauce", "geheim123"][index % 4] + "x\(index)", .name
      )
    }
      + keys.map { SecretKind($0, random(base62, 24, &generator), .name) }
      + ["otp", "pin"].enumerated().map {
        SecretKind($1, "83\(4 + $0)219", .name)
      }
  }

  private static func shaped(_ generator: inout SplitMix64) -> [SecretKind] {
    func shape(
      _ prefix: String, _ alphabet: [Character], _ count: Int, rule: String? = nil
    ) -> SecretKind {
      SecretKind("note", prefix + random(alphabet, count, &generator), .shape, rule: rule)
    }
    let json = Data(#"{"alg":"HS256","typ":"JWT"}"#.utf8).base64EncodedString()
    let key = (0..<4).map { _ in random(base62, 64, &generator) }.joined(separator: "\n")
    return [
      shape(
        json.filter { $0 != "=" } + ".eyJzdWIiOiIxMjM0NTY3ODkwIn0.", url64, 43, rule: "a JWT"),
      SecretKind(
        "note", "-----BEGIN RSA PRIVATE KEY-----\n\(key)\n-----END RSA PRIVATE KEY-----", .shape),
      shape("AKIA", upper, 16), shape("IQoJb3JpZ2luX2Vj", base62, 200), shape("ghp_", base62, 36),
      shape("github_pat_", base62, 82), shape("glpat-", url64, 20),
      shape("xoxb-123456789012-1234567890123-", base62, 24), shape("xapp-1-A0B1C2-", hex, 64),
      shape("sk_live_", base62, 24), shape("whsec_", base62, 32), shape("AIza", url64, 35),
      shape("ya29.", url64, 120), shape("GOCSPX-", url64, 28), shape("SG.", url64, 22 + 1 + 43),
      shape("SK", hex, 32), shape("key-", hex, 32), shape("npm_", base62, 36),
      shape("pypi-AgEIcHlwaS5vcmc", url64, 120), shape("dckr_pat_", url64, 27),
      shape("hf_", base62, 34), shape("sk-proj-", base62, 48), shape("sk-ant-api03-", url64, 93),
      shape("shpat_", hex, 32), shape("dop_v1_", hex, 64), shape("hvs.", url64, 90),
      shape("NRAK-", upper, 27), shape("lin_api_", base62, 40),
      shape("123456789:AA", url64, 33, rule: "a Telegram token"),
      shape("hooks.slack.com/services/T0123456/B0123456/", base62, 24),
      SecretKind("note", random(hex, 32, &generator) + "-us14", .shape, rule: "a Mailchimp key"),
      SecretKind(
        "note",
        "M" + random(base62, 25, &generator) + "." + random(base62, 6, &generator) + "."
          + random(base62, 38, &generator), .shape, rule: "a Discord token"),
      shape("Bearer ", base62, 40),
    ]
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

  /// 60 kinds; the same in every process.
  static let all: [SecretKind] = {
    var generator = SplitMix64(seed: 33)
    return named(&generator) + shaped(&generator) + unsigned(&generator)
  }()
}
