import TransportPort

/// A string or a number inside JSON.
private struct JSONLeaf {
  var range: Range<Int>
  var text: String
  var name: String
  var path: String
}

extension Redactor {
  /// Replaces the values inside JSON, and leaves every other byte as it is; `nil` if the text is not
  /// JSON.
  mutating func json(_ bytes: [UInt8], named name: String, _ context: Context) -> [UInt8]? {
    var leaves: [JSONLeaf] = []
    let isRead: Void? = try? JSONReader.read(bytes) { reader in
      try leafs(&reader, named: name, inherited: nil, path: "$", into: &leaves)
    }
    guard isRead != nil else { return nil }
    var replacements: [Replacement] = []
    for leaf in leaves.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
      let text = Array(leaf.text.utf8)
      let redacted = at(leaf.path) { $0.value(text, named: leaf.name, context.inner) }
      guard redacted != text else { continue }
      var quoted: [UInt8] = []
      JSON.string(String(decoding: redacted, as: UTF8.self)).write(to: &quoted, level: nil)
      replacements.append(Replacement(range: leaf.range, bytes: quoted))
    }
    return bytes.replacing(replacements)
  }

  /// Finds secrets in what an archive has beside the exchanges themselves.
  mutating func auditRest(of archive: [UInt8]) {
    skipped = [
      "entries.startedDateTime", "request.url", "request.headers", "request._trailers",
      "postData.text", "response.headers", "response._trailers", "content.text",
    ]
    defer { skipped = [] }
    var leaves: [JSONLeaf] = []
    try? JSONReader.read(archive) { reader in
      try leafs(&reader, named: "", inherited: nil, path: "$", into: &leaves)
    }
    for leaf in leaves {
      budget = 1 << 20 + 64 * leaf.text.utf8.count
      _ = at(String(leaf.path.dropFirst(2))) {
        $0.value(Array(leaf.text.utf8), named: leaf.name, Context())
      }
    }
  }

  /// Finds the leaves. `inherited` is the name of a secret that is an object or an array.
  private mutating func leafs(
    _ reader: inout JSONReader, named name: String, inherited: String?, path: String,
    into leaves: inout [JSONLeaf]
  ) throws {
    switch reader.next() {
    case UInt8(ascii: "{"):
      let inherited = inherited == nil || Self.isStructure(name) ? nil : inherited
      try members(&reader, of: name, inherited: inherited, path, &leaves)
    case UInt8(ascii: "["):
      let first = leaves.count
      var count = 0
      try reader.array { index, reader in
        count = index + 1
        try leafs(
          &reader, named: name, inherited: inherited, path: "\(path)[\(index)]", into: &leaves)
      }
      // `[["password", "x"]]` names its value. A list of names that is in no other list does not.
      if count == 2, leaves.count == first + 2, path.hasSuffix("]"), reads(.describedValue),
        leaves[first].path == path + "[0]", kind(of: leaves[first].text) == .secret
      {
        leaves[first + 1].name = leaves[first].text
      }
    case UInt8(ascii: "\""):
      let start = reader.offset
      let text = try reader.string()
      let range = start..<reader.offset
      leaves.append(JSONLeaf(range: range, text: text, name: inherited ?? name, path: path))
    case UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"): try reader.skip()
    default:
      let start = reader.offset
      let text = try reader.number()
      let leafName = inherited ?? name
      // Only the digits of a secret; any other number stays a number.
      if isNamed(leafName) || kind(of: leafName) == .secret {
        let range = start..<reader.offset
        leaves.append(JSONLeaf(range: range, text: text, name: leafName, path: path))
      }
    }
  }

  private mutating func members(
    _ reader: inout JSONReader, of owner: String, inherited: String?, _ path: String,
    _ leaves: inout [JSONLeaf]
  ) throws {
    let first = leaves.count
    var pairName: String?
    var query = ""
    var isKey = false
    try reader.object(unique: false) { name, reader in
      if !skipped.isEmpty, skipped.contains("\(owner).\(name)") {
        // An exchange has no fragment; other programs write the one of the page.
        guard name == "url", reader.next() == UInt8(ascii: "\"") else { return try reader.skip() }
        let start = reader.offset
        let url = try reader.string()
        guard let mark = url.firstIndex(of: "#") else { return }
        leaves.append(
          JSONLeaf(
            range: start..<reader.offset, text: "http://host/\(url[mark...])", name: name,
            path: path + ".url"))
        return
      }
      // `{"card": {"number": "4…"}}`
      let isPart = name.asciiLowercased() == "number" && reads(.innerNames)
      let singular = owner.hasSuffix("s") ? String(owner.dropLast()) : owner
      let whole = isPart ? "\(singular)_\(name)" : name
      let isSecret = isNamed(name) || (kind(of: whole) == .secret && !isAllowed(name))
      // A list of cookies has more than their values.
      let hasMore = isSecret && ["cookie", "cookies"].contains(name.asciiLowercased())
      let down =
        isSecret && !hasMore && reads(.innerNames)
        ? whole : inherited == nil || Self.isStructure(name) ? nil : inherited
      let inner = path + JSONPath.step(name)
      if let range = reader.range(ofName: name) {
        leaves.append(JSONLeaf(range: range, text: name, name: "", path: "\(path), the name"))
      }
      let start = leaves.count
      try leafs(&reader, named: name, inherited: down, path: inner, into: &leaves)
      guard leaves.count == start + 1, leaves[start].path == inner else {
        isKey = isKey || name == "kty"
        return
      }
      if name.utf8.count < 7, Self.pairNames.contains(name.asciiLowercased()),
        reads(.describedValue)
      {
        pairName = leaves[start].text
      }
      if name == "query" { query = leaves[start].text }
      isKey = isKey || name == "kty"
    }
    let arguments = Self.arguments(in: query)
    for index in first..<leaves.count {
      if leaves[index].path.hasPrefix(path + ".variables."), reads(.variables),
        let argument = arguments[leaves[index].name], kind(of: argument) == .secret
      {
        leaves[index].name = argument
      }
      // `{"name": "password", "value": "x"}` names its value.
      if let pairName,
        leaves[index].path == path + ".value" || leaves[index].path == path + ".Value"
      {
        leaves[index].name = pairName
      }
      // The private parts of a key, and its public ones (RFC 7518 §6).
      guard isKey, reads(.keyParameters),
        leaves[index].path.dropLast(leaves[index].name.count + 1) == path[...]
      else {
        continue
      }
      if ["d", "p", "q", "dp", "dq", "qi", "k"].contains(leaves[index].name) {
        leaves[index].name = "privateKey"
      } else if ["n", "x", "y"].contains(leaves[index].name) {
        leaves[index].name = "publicKey"
      }
    }
  }

  /// The names of the arguments that the variables of a GraphQL query are passed as, by their own names:
  /// `login(password: $p)`.
  private static func arguments(in query: String) -> [String: String] {
    guard query.utf8.contains(UInt8(ascii: "$")) else { return [:] }
    let found = query.matches(of: #/(\w+)\s*:\s*\$(\w+)/#)
    return Dictionary(found.map { (String($0.2), String($0.1)) }) { first, _ in first }
  }

  /// Members that name the value beside them.
  private static let pairNames: Set<String> = ["name", "key", "field", "header"]

  /// Members that describe a secret and are none: `{"token": {"type": "bearer", …}}`.
  static func isStructure(_ name: String) -> Bool {
    let described: Set<String> = [
      "type", "format", "description", "title", "kind", "scope", "expires", "label", "id", "name",
      "created", "updated", "default", "example", "ref", "url",
    ]
    return SecretName.words(of: name).contains { described.contains($0) }
  }
}

extension JSONReader {
  /// The range of the name before the current value, if it is long enough to be a secret and is written
  /// without escapes.
  fileprivate func range(ofName name: String) -> Range<Int>? {
    guard name.utf8.count >= 16 else { return nil }
    var end = offset - 1
    while end > 0, byte(at: end) != 0x22 { end -= 1 }
    let start = end - name.utf8.count - 1
    guard start >= 0, byte(at: start) == 0x22,
      bytes(from: start).dropFirst().starts(with: name.utf8)
    else { return nil }
    return start..<end + 1
  }
}
