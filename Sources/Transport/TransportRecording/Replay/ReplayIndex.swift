import TransportPort

/// Finds the entries of an archive that agree with a request, in constant time.
struct ReplayIndex {
  /// What must agree.
  struct Key: Hashable {
    var method: String
    var url: String
    var content: Content
    var fields: [String?]
  }

  /// The content of a request.
  enum Content: Hashable {
    case bytes([UInt8])
    /// The text of JSON with the members of objects in order and without white space.
    case json([UInt8])
    case unknown
  }

  /// Larger content is compared to the byte, even if it is JSON.
  private static let jsonLimit = 1 << 20

  let archive: HTTPArchive
  private let matchingFields: [HTTPField.Name]
  private var entries: [Key: [Int]]

  init(_ archive: HTTPArchive, matchingFields: [HTTPField.Name]) {
    self.archive = archive
    self.matchingFields = matchingFields
    self.entries = [:]
    var entries: [Key: [Int]] = [:]
    var redactor = Redactor(archive.redaction, collects: false)
    for (number, entry) in archive.entries.enumerated() {
      // A transport cannot send other schemes or CONNECT, so nothing asks for these entries.
      guard let wire = try? WireRequest(entry.request.withoutFraming, body: .none) else { continue }
      // Newer rules than those of the recording apply to it too.
      guard
        let key = try? key(
          of: entry.request.headerFields, wire.method, wire.url, entry.requestBody, &redactor)
      else { continue }
      entries[key, default: []].append(number)
    }
    self.entries = entries.mapValues { numbers in
      // Browsers also list requests that their cache answered or that they blocked.
      let answered = numbers.filter {
        archive.entries[$0].response != nil || archive.entries[$0].failure?.kind != nil
      }
      return answered.isEmpty ? numbers : answered
    }
  }

  /// The key of a request, with its secrets replaced as in the recording.
  func key(of wire: WireRequest, _ content: [UInt8]) throws(Redactor.Failure) -> Key {
    var redactor = Redactor(archive.redaction, collects: false)
    return try key(of: wire.headerFields, wire.method, wire.url, .bytes(content), &redactor)
  }

  /// Archives of other programs are compared as they are.
  private func key(
    of fields: HTTPFields, _ method: HTTPRequest.Method, _ url: String,
    _ body: HTTPArchive.Entry.Body, _ redactor: inout Redactor
  ) throws(Redactor.Failure) -> Key {
    var content = Content.unknown
    if case .bytes(var bytes) = body {
      if archive.isRecording {
        bytes = try redactor.content(
          bytes, type: fields[.contentType] ?? "", codings: fields.list(.contentEncoding),
          isRequest: true)
      }
      content = Self.content(bytes)
    }
    let matched = matchingFields.map { name in
      let lines = fields[fields: name].map { line in
        archive.isRecording ? redactor.redact(line).value : line.value
      }
      return lines.isEmpty ? nil : lines.joined(separator: ", ")
    }
    return Key(
      method: method.rawValue, url: archive.isRecording ? redactor.redactURL(url) : url,
      content: content, fields: matched)
  }

  /// The entries that agree, and the key that they have.
  func entries(for key: Key) -> (Key, [Int])? {
    if let found = entries[key] { return (key, found) }
    var unknown = key
    unknown.content = .unknown
    return entries[unknown].map { (unknown, $0) }
  }

  /// A URL without secrets.
  func masked(_ url: String) -> String {
    var mask = SecretMask(archive.redaction)
    return mask.url(url)
  }

  /// The nearest entries, and how they differ.
  func mismatch(of key: Key) -> ReplayMismatch {
    var nearest: [(distance: Int, number: Int, key: Key)] = []
    for (other, numbers) in entries {
      guard let number = numbers.first else { continue }
      let candidate = (distance(from: other, to: key), number, other)
      nearest.append(candidate)
      // Three are shown; sorting a few at a time bounds the memory.
      if nearest.count >= 64 { nearest = Self.best(nearest) }
    }
    let candidates = Self.best(nearest).map { _, number, other in
      ReplayMismatch.Candidate(
        entry: number, method: other.method, url: other.url,
        differences: differences(from: other, to: key))
    }
    var mask = SecretMask(archive.redaction)
    return mask.mismatch(
      ReplayMismatch(
        method: key.method, url: key.url, recordedAnswers: 0, candidates: candidates))
  }

  private static func best(
    _ all: [(distance: Int, number: Int, key: Key)]
  ) -> [(distance: Int, number: Int, key: Key)] {
    Array(all.sorted { ($0.distance, $0.number) < ($1.distance, $1.number) }.prefix(3))
  }

  private static func content(_ bytes: [UInt8]) -> Content {
    // The values of a larger text would take many times its size.
    guard bytes.count <= jsonLimit,
      let first = bytes.first(where: { !$0.isSpace && $0 != 0x0A && $0 != 0x0D }),
      first == UInt8(ascii: "{") || first == UInt8(ascii: "["), let json = JSON(bytes)
    else { return .bytes(bytes) }
    var text: [UInt8] = []
    json.sorted.write(to: &text, level: nil)
    return .json(text)
  }
}

extension HTTPRequest {
  /// The request without the fields that describe its content, which the archive has elsewhere.
  var withoutFraming: HTTPRequest {
    var copy = self
    copy.headerFields = [:]
    if path?.isEmpty ?? true { copy.path = "/" }
    return copy
  }
}

extension ReplayIndex {
  /// The distance between two keys. It is computed for every entry, so it must be cheap.
  private func distance(from recorded: Key, to wanted: Key) -> Int {
    var distance = recorded.method == wanted.method ? 0 : 3
    if recorded.content != wanted.content { distance += 1 }
    if recorded.fields != wanted.fields { distance += 1 }
    guard recorded.url != wanted.url else { return distance }
    let (left, right) = (URLReference(recorded.url), URLReference(wanted.url))
    if left.authority != right.authority || left.scheme != right.scheme { distance += 4 }
    if left.path != right.path {
      distance += 4 + differingSegments(left.path, right.path)
    }
    if left.query != right.query { distance += 1 + queryDifferences(left, right).count }
    return distance
  }

  private func differingSegments(_ left: String, _ right: String) -> Int {
    let (left, right) = (left.split(separator: "/"), right.split(separator: "/"))
    let same = zip(left, right).count { $0 == $1 }
    return max(left.count, right.count) - same
  }

  private func differences(from recorded: Key, to wanted: Key) -> [ReplayMismatch.Difference] {
    var all: [ReplayMismatch.Difference] = []
    if recorded.method != wanted.method {
      all.append(.method(recorded: recorded.method, requested: wanted.method))
    }
    let (left, right) = (URLReference(recorded.url), URLReference(wanted.url))
    let origins = [left, right].map { "\($0.scheme ?? "")://\($0.authority ?? "")" }
    if origins[0] != origins[1] {
      all.append(.origin(recorded: origins[0], requested: origins[1]))
    }
    if left.path != right.path { all.append(.path(recorded: left.path, requested: right.path)) }
    if left.query != right.query {
      let items = queryDifferences(left, right)
      all +=
        items.isEmpty
        ? [.query(recorded: left.query ?? "", requested: right.query ?? "")] : items
    }
    for (index, name) in matchingFields.enumerated()
    where recorded.fields[index] != wanted.fields[index] {
      all.append(
        .field(name, recorded: recorded.fields[index], requested: wanted.fields[index]))
    }
    if recorded.content != wanted.content {
      all.append(.content(firstDifference(from: recorded.content, to: wanted.content)))
    }
    return all
  }

  private func firstDifference(
    from recorded: ReplayIndex.Content, to wanted: ReplayIndex.Content
  ) -> String {
    var mask = SecretMask(archive.redaction)
    let (old, new) = (recorded.masked(by: &mask), wanted.masked(by: &mask))
    return old == new ? "a redacted value" : old.firstDifference(from: new)
  }

  private func queryDifferences(
    _ left: URLReference, _ right: URLReference
  ) -> [ReplayMismatch.Difference] {
    let (recorded, wanted) = (Query.items(of: left.text), Query.items(of: right.text))
    var names: [String] = []
    for item in recorded + wanted where !names.contains(item.name) && names.count < 32 {
      names.append(item.name)
    }
    return names.compactMap { name in
      let old = recorded.filter { $0.name == name }.map(\.value)
      let new = wanted.filter { $0.name == name }.map(\.value)
      guard old != new else { return nil }
      return .queryItem(
        name, recorded: old.isEmpty ? nil : old.joined(separator: ", "),
        requested: new.isEmpty ? nil : new.joined(separator: ", "))
    }
  }
}

extension ReplayIndex.Content {
  /// The first difference, as text for people.
  fileprivate func firstDifference(from wanted: Self) -> String {
    switch (self, wanted) {
    case (.json(let recorded), .json(let wanted)):
      guard let recorded = JSON(recorded), let wanted = JSON(wanted) else { return "JSON" }
      var comparison = JSONComparison()
      comparison.compare(recorded, wanted, at: "$", [])
      return switch comparison.changes.first {
      case .missing(let path, _)?: "\(path) is missing"
      case .new(let path, _)?: "\(path) was not recorded"
      case .value(let path, let old, let new, _)?, .type(let path, let old, let new)?:
        "\(path): recorded \(old), requested \(new)"
      case .count(let path, let old, let new)?: "\(path) has \(new) elements, recorded \(old)"
      default: "the same numbers, written in another way"
      }
    case (.bytes(let recorded), .bytes(let wanted)):
      let same = zip(recorded, wanted).prefix { $0 == $1 }.count
      return "byte \(same); recorded \(recorded.count) bytes, requested \(wanted.count)"
    default: return "recorded \(kind), requested \(wanted.kind)"
    }
  }

  /// The content without secrets.
  fileprivate func masked(by mask: inout SecretMask) -> Self {
    switch self {
    case .bytes(let bytes): .bytes(mask.content(bytes))
    case .json(let text): .json(mask.content(text))
    case .unknown: self
    }
  }

  private var kind: String {
    switch self {
    case .bytes(let bytes): bytes.isEmpty ? "no content" : "\(bytes.count) bytes that are not JSON"
    case .json: "JSON"
    case .unknown: "content that the archive does not have"
    }
  }
}
