import Foundation

/// A kind of secret that is known by its shape, wherever it is.
struct SecretShape {
  /// The characters after the prefix.
  enum Alphabet {
    case digits
    case lowerHex
    case upper
    case word
    case dashed
    case dotted
    case base64
    /// Everything up to white space, a quotation mark or an angle bracket.
    case visible

    func contains(_ byte: UInt8) -> Bool {
      let isWord = byte.isDigit || byte.isLetter || byte == 0x5F
      return switch self {
      case .digits: byte.isDigit
      case .lowerHex: byte.isDigit || (0x61...0x66).contains(byte)
      case .upper: byte.isDigit || (0x41...0x5A).contains(byte)
      case .word: isWord
      case .dashed: isWord || byte == 0x2D
      case .dotted: isWord || byte == 0x2D || byte == 0x2E
      case .base64: isWord || "-+/=".utf8.contains(byte)
      case .visible: byte.isVisible
      }
    }
  }

  let prefix: [UInt8]
  let alphabet: Alphabet
  /// The minimum number of characters after the prefix.
  let minimum: Int
  let rule: String
  /// Whether the prefix is public: a scheme, or an address.
  var keepsPrefix = false

  private init(
    _ prefix: String, _ alphabet: Alphabet, _ minimum: Int, _ rule: String, keeps: Bool = false
  ) {
    (self.prefix, self.alphabet, self.minimum) = (Array(prefix.utf8), alphabet, minimum)
    (self.rule, self.keepsPrefix) = (rule, keeps)
  }

  /// The end of the secret that begins with the shape's prefix at a position; `nil` if there is none.
  func end(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
    guard bytes.count - start >= prefix.count + minimum else { return nil }
    // Most words differ from a shape in their second byte.
    guard bytes[start + 1] == prefix[1], bytes[start...].starts(with: prefix) else { return nil }
    var end = start + prefix.count
    while end < bytes.count, alphabet.contains(bytes[end]) { end += 1 }
    return end - start - prefix.count >= minimum ? end : nil
  }

  /// The shapes by the first byte of their prefix.
  private static let table: [[SecretShape]] = {
    var table = [[SecretShape]](repeating: [], count: 256)
    for shape in all { table[Int(shape.prefix[0])].append(shape) }
    return table
  }()

  // Sources: the vendors' documents, and the shapes that scanners of repositories look for.
  static let all: [SecretShape] =
    ["AKIA", "ASIA", "ABIA", "ACCA"].map { SecretShape($0, .upper, 16, "an AWS access key") }
    + ["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"]
    .map { SecretShape($0, .word, 20, "a GitHub token") }
    + ["glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glsoat-", "glffct-", "glimt-", "glagent-"]
    .map { SecretShape($0, .dotted, 16, "a GitLab token") }
    + [
      "xoxa-", "xoxb-", "xoxe-", "xoxe.", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xoxc-", "xoxd-",
      "xapp-",
    ]
    .map { SecretShape($0, .base64, 8, "a Slack token") }
    + ["sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_"]
    .map { SecretShape($0, .base64, 10, "a Stripe key") }
    + ["ya29.", "GOCSPX-", "1//0"].map { SecretShape($0, .dashed, 16, "a Google token") }
    + ["shpat_", "shpca_", "shppa_", "shpss_"].map { SecretShape($0, .word, 16, "a Shopify token") }
    + ["sq0atp-", "sq0csp-", "sq0idp-"].map { SecretShape($0, .dashed, 16, "a Square token") }
    + ["dop_v1_", "doo_v1_", "dor_v1_"].map { SecretShape($0, .word, 32, "a DigitalOcean token") }
    + ["hvs.", "hvb.", "hvr."].map { SecretShape($0, .dashed, 20, "a Vault token") }
    + ["glsa_", "glc_"].map { SecretShape($0, .base64, 20, "a Grafana token") }
    + ["sntrys_", "sntryu_"].map { SecretShape($0, .base64, 20, "a Sentry token") }
    + ["ATATT3", "ATCTT3", "ATBB"].map { SecretShape($0, .base64, 20, "an Atlassian token") }
    + ["IQoJb3JpZ2lu", "FwoGZXIvYXdz", "FQoGZXIvYXdz"]
    .map { SecretShape($0, .base64, 40, "an AWS session token") }
    + [
      "Bearer ", "bearer ", "BEARER ", "Basic ", "basic ", "Token ", "token ", "ApiKey ", "Digest ",
    ]
    .map { SecretShape($0, .base64, 6, "credentials", keeps: true) }
    + [
      SecretShape("password ", .visible, 6, "credentials", keeps: true),
      SecretShape("sk-", .dashed, 20, "an API key"),
      SecretShape("AIza", .dashed, 30, "a Google API key"),
      SecretShape("ABSK", .base64, 60, "an AWS Bedrock key"),
      SecretShape("AKCp", .word, 50, "an Artifactory key"),
      SecretShape("LTAI", .word, 12, "an Alibaba key"),
      SecretShape("AKID", .word, 32, "a Tencent key"),
      SecretShape("AGE-SECRET-KEY-1", .upper, 30, "an age key"),
      SecretShape("AAAAAAAAAAAAAAAAAAAAA", .visible, 30, "a Twitter token"),
      SecretShape("CCIPAT_", .word, 20, "a CircleCI token"),
      SecretShape("CFPAT-", .dashed, 20, "a Contentful token"),
      SecretShape("EAACEdEose0cBA", .word, 10, "a Facebook token"),
      SecretShape("EAAA", .dashed, 50, "a Square token"),
      SecretShape("EAA", .word, 80, "a Facebook token"),
      SecretShape("EZAK", .word, 40, "an EasyPost key"),
      SecretShape("EZTK", .word, 40, "an EasyPost key"),
      SecretShape("FLWSECK", .dashed, 12, "a Flutterwave key"),
      SecretShape("GR1348941", .dashed, 20, "a GitLab token"),
      SecretShape("HRKU-", .dashed, 20, "a Heroku key"),
      SecretShape("NRAK-", .word, 20, "a New Relic key"),
      SecretShape("PMAK-", .dashed, 20, "a Postman key"),
      SecretShape("SG.", .dotted, 40, "a SendGrid key"),
      SecretShape("SK", .lowerHex, 32, "a Twilio key"),
      SecretShape("aio_", .word, 20, "an Adafruit key"),
      SecretShape("bkua_", .word, 20, "a Buildkite token"),
      SecretShape("dapi", .lowerHex, 32, "a Databricks token"),
      SecretShape("dckr_pat_", .dashed, 20, "a Docker token"),
      SecretShape("dp.pt.", .word, 20, "a Doppler token"),
      SecretShape("dt0c01.", .dotted, 40, "a Dynatrace token"),
      SecretShape("figd_", .dashed, 20, "a Figma token"),
      SecretShape("gsk_", .word, 20, "a Groq key"),
      SecretShape("hf_", .word, 30, "a Hugging Face token"),
      SecretShape("key-", .lowerHex, 32, "a Mailgun key"),
      SecretShape("lin_api_", .word, 20, "a Linear key"),
      SecretShape("nfp_", .word, 20, "a Netlify token"),
      SecretShape("npm_", .word, 30, "an npm token"),
      SecretShape("ntn_", .word, 30, "a Notion token"),
      SecretShape("secret_", .word, 30, "a Notion token"),
      SecretShape("ops_", .dotted, 60, "a 1Password token"),
      SecretShape("pat-na", .dashed, 20, "a HubSpot token"),
      SecretShape("pat-eu", .dashed, 20, "a HubSpot token"),
      SecretShape("pplx-", .word, 20, "an API key"),
      SecretShape("pscale_", .dotted, 20, "a PlanetScale token"),
      SecretShape("pul-", .lowerHex, 30, "a Pulumi token"),
      SecretShape("pypi-AgE", .dashed, 30, "a PyPI token"),
      SecretShape("r8_", .word, 30, "a Replicate token"),
      SecretShape("rubygems_", .lowerHex, 30, "a RubyGems key"),
      SecretShape("sbp_", .word, 20, "a Supabase token"),
      SecretShape("sb_secret_", .dashed, 10, "a Supabase key"),
      SecretShape("sl.", .dashed, 60, "a Dropbox token"),
      SecretShape("tfp_", .dashed, 20, "a Typeform token"),
      SecretShape("tskey-", .dashed, 16, "a Tailscale key"),
      SecretShape("xai-", .word, 30, "an API key"),
      SecretShape("xkeysib-", .dashed, 30, "a Brevo key"),
      SecretShape("access_token$production$", .word, 16, "a PayPal token"),
      SecretShape("access-sandbox-", .dashed, 30, "a Plaid token"),
      SecretShape("access-production-", .dashed, 30, "a Plaid token"),
      SecretShape("b3BlbnNzaC1rZXktdjE", .base64, 40, "an SSH private key"),
      SecretShape("eyJrIjoi", .base64, 30, "a Grafana key"),
      SecretShape("hooks.slack.com/services/", .visible, 16, "a Slack webhook", keeps: true),
      SecretShape("hooks.slack.com/workflows/", .visible, 16, "a Slack webhook", keeps: true),
      SecretShape("discord.com/api/webhooks/", .visible, 16, "a Discord webhook", keeps: true),
      SecretShape("discordapp.com/api/webhooks/", .visible, 16, "a Discord webhook", keeps: true),
    ]
}

/// A secret in a text.
struct SecretMatch {
  var range: Range<Int>
  var rule: String
}

extension SecretShape {
  /// The secret that begins at a position; `nil` if there is none.
  ///
  /// - Parameter missing: The prefix of a shape that does not count, or the rule of one without a prefix.
  static func match(
    in bytes: UnsafeBufferPointer<UInt8>, at start: Int, without missing: String?
  ) -> SecretMatch? {
    let first = bytes[start]
    // Telegram's URLs have the token after `bot`.
    let isBot =
      first == UInt8(ascii: "b") && start + 3 < bytes.count && bytes[start + 1] == UInt8(ascii: "o")
      && bytes[start + 2] == UInt8(ascii: "t")
    if Alphabet.lowerHex.contains(first),
      let match = numbered(in: bytes, at: isBot ? start + 3 : start), match.rule != missing
    {
      return match
    }
    if let match = dotted(in: bytes, at: start), match.rule != missing { return match }
    for shape in table[Int(first)] {
      guard let end = shape.end(in: bytes, from: start),
        missing.map({ Array($0.utf8) != shape.prefix }) ?? true
      else { continue }
      let begin = shape.keepsPrefix ? start + shape.prefix.count : start
      if shape.rule == "credentials", !isCredential(bytes[begin..<end]) { continue }
      return SecretMatch(range: begin..<end, rule: shape.rule)
    }
    return nil
  }

  /// What follows a scheme in prose, such as `Basic authentication` or `Bearer realm=`, is no secret.
  private static func isCredential(_ word: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    if word.dropLast(2).contains(0x3D) { return false }
    if word.last == 0x3D, word.count < 16 {
      return Data(base64Encoded: Data(word))?.contains(0x3A) == true
    }
    let random = RandomWord(word)
    return random.digits > 0 || random.isLikely || random.count >= 24
  }

  /// JWT and JWE, and the tokens of Discord: parts of base64url with dots.
  private static func dotted(in bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> SecretMatch? {
    let first = bytes[start]
    let isJWT =
      first == UInt8(ascii: "e") && start + 3 < bytes.count && bytes[start + 1] == UInt8(ascii: "y")
      && (bytes[start + 2] == UInt8(ascii: "J") || bytes[start + 2] == UInt8(ascii: "A"))
    // The tokens of Discord begin with M, N or O.
    guard isJWT || (first >= 0x4D && first <= 0x4F) else { return nil }
    var end = start
    var lengths = [0]
    while end < bytes.count {
      if bytes[end] == 0x2E {
        lengths.append(0)
      } else if Alphabet.dashed.contains(bytes[end]) {
        lengths[lengths.count - 1] += 1
      } else {
        break
      }
      end += 1
    }
    if bytes[end - 1] == 0x2E, lengths.count != 3 {
      end -= 1
      lengths.removeLast()
    }
    if isJWT, lengths.count >= 2, lengths[0] >= 10, lengths[1] >= 4 {
      return SecretMatch(range: start..<end, rule: "a JWT")
    }
    guard lengths.count == 3, (23...28).contains(lengths[0]), lengths[1] == 6, lengths[2] >= 27
    else {
      return nil
    }
    return SecretMatch(range: start..<end, rule: "a Discord token")
  }

  /// Telegram's tokens, `123456789:AA…`; Mailchimp's keys, 32 hexadecimal digits and `-us1`; card numbers.
  private static func numbered(in bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> SecretMatch?
  {
    var end = start
    while end < bytes.count, bytes[end].isDigit { end += 1 }
    if (8...10).contains(end - start), end + 35 < bytes.count, bytes[end] == 0x3A {
      var last = end + 1
      while last < bytes.count, Alphabet.dashed.contains(bytes[last]) { last += 1 }
      if last - end - 1 == 35 { return SecretMatch(range: start..<last, rule: "a Telegram token") }
    }
    while end < bytes.count, Alphabet.lowerHex.contains(bytes[end]) { end += 1 }
    if end - start == 32 { return mailchimp(in: bytes, start, end) }
    return card(in: bytes, at: start)
  }

  private static func mailchimp(
    in bytes: UnsafeBufferPointer<UInt8>, _ start: Int, _ end: Int
  ) -> SecretMatch? {
    guard end + 3 < bytes.count, bytes[end] == 0x2D, bytes[end + 1] == UInt8(ascii: "u"),
      bytes[end + 2] == UInt8(ascii: "s"), bytes[end + 3].isDigit
    else { return nil }
    var last = end + 4
    while last < bytes.count, bytes[last].isDigit { last += 1 }
    return SecretMatch(range: start..<last, rule: "a Mailchimp key")
  }

  /// A card number in four groups of four digits with a valid check digit (ISO/IEC 7812-1).
  private static func card(in bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> SecretMatch? {
    guard start + 19 <= bytes.count, (0x33...0x36).contains(bytes[start]) else { return nil }
    let separator = bytes[start + 4]
    guard separator == 0x20 || separator == 0x2D else { return nil }
    var sum = 0
    for index in 0..<19 {
      let byte = bytes[start + index]
      if index % 5 == 4 {
        guard byte == separator else { return nil }
        continue
      }
      guard byte.isDigit else { return nil }
      let digit = Int(byte - 0x30)
      // Every second digit from the first, for a number of even length.
      let doubled = (index - index / 5) % 2 == 0 ? 2 * digit : digit
      sum += doubled > 9 ? doubled - 9 : doubled
    }
    guard sum % 10 == 0, start + 19 == bytes.count || !bytes[start + 19].isDigit else { return nil }
    return SecretMatch(range: start..<start + 19, rule: "a card number")
  }
}

extension UInt8 {
  /// Whether the byte is part of a word: not white space, a quotation mark, an angle bracket or a
  /// reverse solidus.
  var isVisible: Bool {
    self > 0x20 && self != 0x22 && self != 0x27 && self != 0x3C && self != 0x3E && self != 0x5C
      && self != 0x60 && self != 0x7F
  }
}
