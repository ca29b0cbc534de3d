/// What the name of a value says about the value.
enum SecretName {
  /// The value is secret: `password`, `X-Api-Key`, `refresh_token`.
  case secret
  /// The value is secret if it looks random: `code`, `key`, `session`.
  case possible
  /// The name says nothing.
  case unknown
  /// The value is random and public: `etag`, `request_id`, `sha256`.
  case harmless

  /// Classifies a name of any spelling: `accessToken`, `ACCESS-TOKEN` and `user[access_token]` are alike.
  init(_ name: String, without missing: String? = nil) {
    let words = Self.words(of: name)
    guard let last = words.last, let first = words.first else {
      self = .unknown
      return
    }
    let joined = words.joined()
    let isCount = Self.counting.contains(first) && words.count > 1
    let isCursor = Self.cursors.contains { joined.hasSuffix($0) }
    let describes = words.count > 1 && Self.descriptors.contains(last)
    if isCursor {
      self = .harmless
    } else if !isCount, !describes, Self.isSecret(words, joined, missing) {
      self = .secret
    } else if (Self.identifiers.contains(joined) && joined != missing)
      || (!isCount && !describes && last != "id"
        && words.contains(where: { Self.possibleWords.contains($0) && $0 != missing }))
    {
      self = .possible
    } else if words.contains(where: { Self.harmlessWords.contains($0) })
      || Self.harmlessWords.contains(joined) || last.hasSuffix("id")
      || last.hasSuffix("ids") || last.hasSuffix("hash")
    {
      self = .harmless
    } else {
      self = .unknown
    }
  }

  private static func isSecret(_ words: [String], _ joined: String, _ missing: String?) -> Bool {
    words.contains { word in
      secretWords.contains(word) && word != missing
        || endings.contains { word.hasSuffix($0) && $0 != missing }
    } || parts.contains { joined.contains($0) && $0 != missing }
  }

  /// The words that make a name one of a secret, or of what may be one.
  static var rules: (secret: [String], possible: [String]) {
    (secretWords.sorted() + endings + parts, possibleWords.sorted() + identifiers.sorted())
  }

  /// The words of a name in lower case, without digits.
  static func words(of name: String) -> [String] {
    let isASCII = name.utf8.allSatisfy { $0 < 0x80 }
    let bytes = Array((isASCII ? name : name.lowercased()).utf8)
    var words: [String] = []
    var word: [UInt8] = []
    func isUpper(_ index: Int) -> Bool {
      bytes.indices.contains(index) && (0x41...0x5A).contains(bytes[index])
    }
    func isLower(_ index: Int) -> Bool {
      bytes.indices.contains(index) && (0x61...0x7A).contains(bytes[index])
    }
    for (index, byte) in bytes.enumerated() {
      // `accessToken` has two words, and so has `APIKey`.
      let begins =
        isUpper(index) && (isLower(index - 1) || (isUpper(index - 1) && isLower(index + 1)))
      let isLetter = byte.isLetter || byte >= 0x80
      if !word.isEmpty, !isLetter || begins {
        words.append(String(decoding: word, as: UTF8.self))
        word = []
      }
      if isLetter { word.append(byte < 0x80 ? byte | 0x20 : byte) }
    }
    if !word.isEmpty { words.append(String(decoding: word, as: UTF8.self)) }
    return words
  }
}

extension SecretName {
  private static let secretWords: Set<String> = [
    "passwords", "passwort", "passphrase", "passcode", "pass", "pwd", "pswd", "pw", "secrets",
    "tokens", "jwt", "credential", "credentials", "otp", "totp", "mfa", "cvv", "cvc", "cvn", "ssn",
    "pin", "bearer", "mnemonic", "csrf", "xsrf", "authorization", "saml", "iban", "assertion",
    "cookie", "cookies", "psk",
    // A password in other languages.
    "kennwort", "senha", "contrasena", "contraseña", "wachtwoord", "hasło", "heslo", "şifre",
    "пароль", "密码", "密碼",
    "パスワード", "비밀번호",
  ]

  /// Ends of words that are written without a separator.
  private static let endings = [
    "token", "secret", "password", "passwd", "sessid", "privkey",
  ]

  /// Parts of names whose words say little on their own.
  private static let parts = [
    "apikey", "privatekey", "secretkey", "accesskey", "authkey", "signingkey", "encryptionkey",
    "sharedkey", "accountkey", "masterkey", "subscriptionkey", "functionskey", "applicationkey",
    "appkey", "licensekey", "sessionkey", "storagekey", "servicekey", "deploykey", "cardnumber",
    "accountnumber", "securitycode", "verificationcode", "recoverycode", "backupcode",
    "seedphrase", "sessionid", "samlrequest", "samlresponse", "authcode", "usercode", "devicecode",
    "codeverifier", "connectionstring", "twofactor", "securityanswer", "motdepasse",
  ]

  private static let possibleWords: Set<String> = [
    "key", "keys", "code", "codes", "state", "auth", "oauth", "session", "sessions", "sess", "sid",
    "ticket", "sig", "signature", "hmac", "mac", "challenge", "verifier", "access", "grant",
    "invite", "invites", "invitation", "invitations", "magic", "reset", "verify", "verification",
    "confirm", "confirmation", "activate", "activation", "license", "licence", "voucher", "pan",
    "card", "private", "salt", "hook", "hooks", "webhook", "webhooks", "bot", "k", "seed", "dsn",
    "sso", "login", "unlock", "sharing", "impersonate",
  ]

  /// Names of identifiers that grant access, or may.
  private static let identifiers: Set<String> = [
    "clientid", "appid", "authid", "secretid",
  ]

  /// Words that end the name of something public about a secret: `token_type`, `password_hint`.
  private static let descriptors: Set<String> = [
    "type", "types", "endpoint", "url", "uri", "name", "names", "count", "length", "limit",
    "expiry", "expires", "expiration", "at", "in", "on", "by", "date", "time", "timestamp",
    "algorithm", "alg", "method", "methods", "policy", "strength", "hint", "enabled", "disabled",
    "required", "valid", "supported", "format", "label", "placeholder", "field", "version",
    "status", "usage", "used", "min", "max", "budget", "scheme", "bits", "size", "description",
    "title", "path", "age", "ttl", "header", "prefix", "attempts", "changed", "lifetime", "set",
    "scope", "scopes", "issuer", "audience", "index", "message", "error", "domain", "present",
    "exists", "color", "colour", "manager", "settings", "options", "validation", "rules",
    "network", "brand", "country", "last",
  ]

  /// Words that begin the name of a number or a Boolean about secrets: `max_tokens`, `has_password`.
  private static let counting: Set<String> = [
    "max", "min", "total", "num", "has", "is", "prompt", "completion", "input", "output", "cached",
    "reasoning", "usage", "show", "hide", "requires", "allow", "allows", "use", "uses", "public",
    "sort", "foreign", "primary", "cache", "partition", "routing", "forgot", "needs", "enable",
  ]

  /// Ends of names of positions in a list.
  private static let cursors = [
    "pagetoken", "nexttoken", "continuationtoken", "synctoken", "pagingtoken", "cursortoken",
    "continuetoken", "previoustoken", "deltatoken", "skiptoken", "paginationtoken", "resumetoken",
    "startingtoken", "marker",
  ]

  /// Whether a harmless name is that of an address, whose query may hold a secret.
  static func isAddress(_ name: String) -> Bool {
    words(of: name).contains { addresses.contains($0) }
  }

  private static let addresses: Set<String> = [
    "uri", "url", "urls", "href", "src", "link", "links", "next", "prev", "previous", "photo",
    "picture", "avatar", "image", "icon",
  ]

  private static let harmlessWords: Set<String> = [
    "id", "ids", "uuid", "guid", "uid", "etag", "hash", "hashes", "digest", "checksum", "crc",
    "md", "sha", "shasum", "integrity", "fingerprint", "thumbprint", "nonce", "commit", "revision",
    "rev", "version", "build", "trace", "traceparent", "tracestate", "span", "request",
    "correlation", "cursor", "page", "continuation", "slug", "sku", "ref", "reference", "mappings",
    "thumbnail", "photo", "avatar", "icon", "image", "picture", "blurhash", "polyline", "points",
    "geometry", "geohash", "oid", "cert", "certificate", "certificates", "public", "uri", "url",
    "urls", "href", "src", "link", "links", "before", "after", "next", "prev", "previous", "match",
    "range", "ray", "debug", "served", "timer", "agent", "nel", "policy", "baggage", "sentry",
    "datadog", "guploader", "grn", "sitekey", "generation", "report", "reporting", "challenges",
    "accept", "websocket", "www", "via", "server", "alt", "svg", "path", "d", "class", "style",
    "filename", "file", "font", "trial", "chunk", "asset", "assets", "boundary", "kid", "v", "h",
    "xc", "xt", "xts", "sequence", "address", "addresses", "btih", "head", "parent", "tree",
  ]
}
