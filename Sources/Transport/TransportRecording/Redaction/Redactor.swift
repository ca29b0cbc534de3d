import TransportDecoding
import TransportPort

/// Replaces the secrets of a recording, and collects the values that it replaced.
///
/// Every value passes through the same rules, in this order: what the ``Redaction`` names, what the
/// value's name says, then its text: JSON, forms, markup, URLs, `name: value` in prose and code, known
/// shapes, and whatever is encoded inside. Redacting twice gives the same as redacting once.
struct Redactor {
  /// Why content cannot be redacted.
  struct Failure: Error {
    var reason: String
  }

  /// What to do with a word that only looks random.
  enum Suspicion {
    case isIgnored
    case isReported
    case isReplaced
  }

  /// What the rules know of the surroundings of a value.
  struct Context {
    /// Whether the value is in a request, where hashes are rare and keys are not.
    var isRequest = false
    /// Whether the text is HTML or a program, where names and colons say less.
    var isCode = false
    /// Whether random words may be secrets at all; media have many.
    var suspects = true
    /// Whether the value's name is that of something random and public.
    var isPublic = false
    /// The levels of encodings to look into.
    var depth = 12

    var inner: Context {
      var copy = self
      copy.depth -= 1
      return copy
    }
  }

  static let placeholder = Array(Redaction.placeholder.utf8)
  /// The maximum size of decoded content in bytes.
  static let decodedLimit = 64 << 20

  let redaction: Redaction
  let suspicion: Suspicion
  /// Whether the values and findings are collected, which a replay does not need.
  let collects: Bool
  let paths: [JSONPath]
  let pathTemplates: [SecretTemplate]
  let textTemplates: [SecretTemplate]
  /// Whether content is decoded although its fields name an encoding, as other programs export it.
  var contentIsDecoded = false
  /// Where the current value is.
  var place: [String] = []
  private(set) var secrets = Secrets()
  private(set) var findings: [SecretFinding] = []
  private var found: Set<SecretFinding> = []
  /// Members of JSON to leave out, with the name of what has them: `request.url`.
  var skipped: Set<String> = []
  /// Fields of responses and of requests in which nothing was found, since archives repeat them.
  var clean: [Set<HTTPField>] = [[], []]
  private let names: Set<String>
  private let allowedNames: Set<String>
  private var kinds: [String: SecretName] = [:]
  private let missingName: String?
  let missingReader: RedactionRule.Reader?
  let missingShape: String?
  /// The bytes that may still be searched inside one value, which encodings inside one another repeat.
  var budget = 0

  init(_ redaction: Redaction, collects: Bool = true, suspicion: Suspicion = .isIgnored) {
    self.redaction = redaction
    self.collects = collects
    self.suspicion = suspicion
    paths = redaction.jsonPaths.sorted().compactMap { JSONPath($0) }
    pathTemplates = redaction.paths.sorted().map { SecretTemplate($0) }
    textTemplates = redaction.texts.sorted().map { SecretTemplate($0) }
    if case .name(let name) = redaction.missing { missingName = name } else { missingName = nil }
    if case .reader(let it) = redaction.missing { missingReader = it } else { missingReader = nil }
    if case .shape(let it) = redaction.missing { missingShape = it } else { missingShape = nil }
    names = Set(redaction.names.map { $0.asciiLowercased() })
    allowedNames = Set(redaction.allowedNames.map { $0.asciiLowercased() })
  }

  // MARK: Names

  func isNamed(_ name: String) -> Bool {
    !names.isEmpty && names.contains(name.asciiLowercased())
  }

  func isAllowed(_ name: String) -> Bool {
    !allowedNames.isEmpty && allowedNames.contains(name.asciiLowercased())
  }

  mutating func kind(of name: String) -> SecretName {
    if name.isEmpty { return .unknown }
    if let kind = kinds[name] { return kind }
    let kind = SecretName(name, without: missingName)
    if kinds.count < 10_000 { kinds[name] = kind }
    return kind
  }

  /// The rule by which a value is secret because of its name; `nil` if it is not.
  mutating func rule(for value: [UInt8], named name: String, isStrict: Bool = true) -> String? {
    if isNamed(name) { return "the name '\(name)'" }
    if value.isEmpty || isAllowed(name) || Self.isPlaceholder(value) { return nil }
    let isLikely: Bool
    switch kind(of: name) {
    case .secret: isLikely = isStrict ? !Self.isConstant(value) : Self.isPassword(value)
    case .possible: isLikely = RandomWord.isLikelySecret(value)
    case .unknown, .harmless: isLikely = false
    }
    return isLikely ? "the name '\(name)'" : nil
  }

  private static func isPlaceholder(_ value: [UInt8]) -> Bool { value == placeholder }

  /// Words that say something about a secret instead of being one.
  private static func isConstant(_ value: [UInt8]) -> Bool {
    if value.count > 12 { return false }
    if value.allSatisfy({ $0 == 0x2A || $0 == 0x20 || $0 == 0x78 || $0 == 0x58 }) { return true }
    let constants: Set<String> = [
      "true", "false", "null", "nil", "none", "undefined", "bearer", "basic", "required",
      "optional",
      "string", "number", "boolean", "yes", "no",
    ]
    return constants.contains(String(decoding: value, as: UTF8.self).asciiLowercased())
  }

  /// Whether a text between quotation marks may be a password and not a label or an expression.
  private static func isPassword(_ value: [UInt8]) -> Bool {
    value.count >= 4 && !isConstant(value) && !value.contains(0x20)
      && value.contains { $0.isLetter }
      && value.contains { $0.isDigit || "!@#$%^&*?~".utf8.contains($0) }
      && !value.contains { "(){}[];,<>".utf8.contains($0) }
  }

  // MARK: Values

  /// Replaces a value, or what is in it.
  mutating func value(_ bytes: [UInt8], named name: String, _ context: Context) -> [UInt8] {
    if !isNamed(name), isAllowed(name) { return bytes }
    if let field = Self.field(name), !isNamed(name) {
      return credentials(in: bytes, field)
    }
    if let rule = rule(for: bytes, named: name) {
      return replace(bytes, by: rule, named: name, isExplicit: isNamed(name))
    }
    var context = context
    if case .harmless = kind(of: name) {
      context.isPublic = context.isPublic || !SecretName.isAddress(name) || !bytes.contains(0x3F)
    }
    return text(bytes, named: name, context)
  }

  /// Collects a secret, and returns what replaces it.
  mutating func replace(
    _ bytes: [UInt8], by rule: String, named name: String = "", isExplicit: Bool = false
  ) -> [UInt8] {
    guard !Self.isPlaceholder(bytes) else { return bytes }
    let text = String(decoding: bytes, as: UTF8.self)
    if !isExplicit, redaction.allowedValues.contains(text) { return bytes }
    note(rule, named: name, isSuspected: false)
    if isExplicit || RandomWord.isLikelySecret(bytes) { add(bytes, rule) }
    return Self.placeholder
  }

  /// Records where a rule applied.
  private mutating func note(_ rule: String, named name: String, isSuspected: Bool) {
    guard collects else { return }
    let finding = SecretFinding(
      place: place.joined(separator: ", "), rule: rule, name: name, isSuspected: isSuspected)
    if found.insert(finding).inserted { findings.append(finding) }
  }

  /// Reports a value that is not searched, because it holds too many encodings.
  mutating func giveUp(named name: String) {
    if suspicion == .isReported {
      note("a text with too many encodings inside one another", named: name, isSuspected: true)
    }
  }

  /// Reports something that can't be searched.
  mutating func giveUp(_ reason: String, at part: String) {
    place = [part]
    note(reason, named: "", isSuspected: true)
    place = []
  }

  /// Judges a word that looks random; `nil` if it stays.
  mutating func suspect(_ word: [UInt8], named name: String) -> [UInt8]? {
    guard suspicion != .isIgnored,
      !redaction.allowedValues.contains(String(decoding: word, as: UTF8.self))
    else { return nil }
    note("a long random word", named: name, isSuspected: true)
    return suspicion == .isReplaced ? Self.placeholder : nil
  }

  /// Adds a value that must not occur elsewhere.
  mutating func add(_ bytes: [UInt8], _ origin: String, decodes: Bool = true) {
    guard collects else { return }
    secrets.add(bytes, origin, except: redaction.allowedValues)
    let isQuoted = bytes.count > 2 && bytes.first == 0x22 && bytes.last == 0x22
    if isQuoted { secrets.add(Array(bytes.dropFirst().dropLast()), origin, except: []) }
    guard decodes else { return }
    secrets.add(bytes.percentDecoded(), origin, except: redaction.allowedValues)
  }

  /// Runs a step with one more part of the place.
  mutating func at<Result>(_ part: String, _ body: (inout Redactor) -> Result) -> Result {
    guard collects else { return body(&self) }
    place.append(part)
    defer { place.removeLast() }
    return body(&self)
  }
}

extension Redactor {
  /// Replaces what content has.
  ///
  /// - Parameter codings: The values of Content-Encoding, in the order in which they were applied.
  mutating func content(
    _ bytes: [UInt8], type: String, codings: [String], isRequest: Bool
  ) throws(Failure) -> [UInt8] {
    let decoded: [UInt8]
    do throws(Undecodable) { decoded = try Self.decoded(bytes, codings) } catch {
      try checkMayKeep(error, type.asciiLowercased(), isRequest: isRequest)
      return bytes
    }
    budget = 1 << 20 + 64 * decoded.count
    var redacted = try decodedContent(decoded, type.asciiLowercased(), isRequest: isRequest)
    guard redacted != decoded else { return bytes }
    for coding in codings {
      guard let encoded = WholeContent.encode(redacted, coding) else {
        throw Failure(reason: "the encoding \(coding) is unknown")
      }
      redacted = encoded
    }
    return redacted
  }

  /// Content with an encoding that cannot be decoded.
  struct Undecodable: Error {
    var coding: String
    var reason: String
    /// The bytes as they are, and what they decode to before the decoder fails.
    var readable: [[UInt8]] = []
  }

  static func decoded(_ bytes: [UInt8], _ codings: [String]) throws(Undecodable) -> [UInt8] {
    var bytes = bytes
    var failure: Undecodable?
    for coding in codings.reversed() where failure == nil || !bytes.isEmpty {
      do throws(WholeContent.Failure) {
        bytes = try WholeContent.decode(bytes, coding, limit: decodedLimit)
      } catch {
        if failure == nil { failure = Undecodable(coding: coding, reason: error.reason) }
        failure?.readable.append(bytes)
        bytes = error.decoded
      }
    }
    guard var failure else { return bytes }
    failure.readable.append(bytes)
    throw failure
  }

  /// Throws unless content that cannot be decoded may be kept as it is.
  private mutating func checkMayKeep(
    _ content: Undecodable, _ type: String, isRequest: Bool
  ) throws(Failure) {
    let coding = content.coding
    guard redaction.allowedEncodings.contains(where: { $0.asciiLowercased() == coding }) else {
      throw Failure(
        reason:
          "\(content.reason), so it can't be searched; wrap the transport that decodes it, or add "
          + "\(coding.debugDescription) to Redaction.allowedEncodings")
    }
    for bytes in content.readable where !bytes.isEmpty {
      budget = 1 << 20 + 64 * bytes.count
      guard try decodedContent(bytes, type, isRequest: isRequest) == bytes else {
        throw Failure(reason: "it has one, which can't be replaced, because \(content.reason)")
      }
    }
  }

  private mutating func decodedContent(
    _ bytes: [UInt8], _ type: String, isRequest: Bool
  ) throws(Failure) -> [UInt8] {
    var context = Context(isRequest: isRequest)
    var bytes = bytes
    if !paths.isEmpty, !bytes.isEmpty {
      bytes = try redactPaths(in: bytes, mustBeJSON: type.contains("json"))
    }
    if type.hasPrefix("application/x-www-form-urlencoded"), reads(.form) {
      return items(bytes, "field", context)
    }
    if type.hasPrefix("multipart/"), let parts = multipart(bytes, context) { return parts }
    let isMedia = ["image/", "audio/", "video/", "font/", "application/wasm"]
      .contains { type.hasPrefix($0) }
    context.suspects = !isMedia || type.contains("svg")
    context.isCode = ["html", "script", "css", "markdown"].contains { type.contains($0) }
    return text(bytes, named: "", context)
  }

  private mutating func redactPaths(
    in bytes: [UInt8], mustBeJSON: Bool
  ) throws(Failure) -> [UInt8] {
    let ranges: [Range<Int>]
    do { ranges = try JSONPath.ranges(of: paths, in: bytes) } catch {
      guard mustBeJSON else { return bytes }
      let reason = (error as? JSONFailure)?.description ?? "\(error)"
      throw Failure(reason: "its type is JSON, but it is not: \(reason)")
    }
    var output = bytes
    for range in ranges.reversed() {
      for leaf in JSON(Array(bytes[range]))?.leaves ?? [] {
        _ = replace(Array(leaf.utf8), by: "a JSON path", isExplicit: true)
      }
      output.replaceSubrange(range, with: "\"\(Redaction.placeholder)\"".utf8)
    }
    return output
  }
}
