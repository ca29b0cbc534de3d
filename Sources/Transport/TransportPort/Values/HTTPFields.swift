/// Field lines in the order of the message, duplicates kept apart.
///
/// Source: RFC 9110 §5.2 and §5.3.
public struct HTTPFields: Sendable, Hashable {
  private var fields: [HTTPField]

  /// No fields.
  public init() {
    self.fields = []
  }

  /// The given fields, in their order.
  public init(_ fields: some Sequence<HTTPField>) {
    self.fields = Array(fields)
  }

  /// The value of a field, with repeated lines joined by a comma and a space.
  ///
  /// `Set-Cookie` cannot be joined, so its first line is given: read it through `values`. Setting
  /// replaces all lines of that name by one at the place of the first; `nil` removes them.
  public subscript(name: HTTPField.Name) -> String? {
    get {
      let all = self[values: name]
      guard let first = all.first else { return nil }
      return name == .setCookie ? first : all.joined(separator: ", ")
    }
    set {
      self[values: name] = newValue.map { [$0] } ?? []
    }
  }

  /// The values of all lines of a name, one for each line.
  public subscript(values name: HTTPField.Name) -> [String] {
    get { self[fields: name].map(\.value) }
    set { self[fields: name] = newValue.map { HTTPField(name: name, value: $0) } }
  }

  /// The lines of a name, in order.
  public subscript(fields name: HTTPField.Name) -> [HTTPField] {
    get { fields.filter { $0.name == name } }
    set {
      let place = fields.firstIndex { $0.name == name } ?? fields.endIndex
      fields.removeAll { $0.name == name }
      fields.insert(contentsOf: newValue, at: place)
    }
  }

  /// Adds a line at the end.
  public mutating func append(_ field: HTTPField) {
    fields.append(field)
  }

  /// Whether at least one line has this name.
  public func contains(_ name: HTTPField.Name) -> Bool {
    fields.contains { $0.name == name }
  }

  /// Gives the last line another value.
  mutating func replaceLast(by bytes: [UInt8]) {
    guard !fields.isEmpty else { return }
    fields[fields.count - 1].bytes = bytes
  }

  /// Takes away every line that satisfies the predicate.
  public mutating func removeAll(where predicate: (HTTPField) throws -> Bool) rethrows {
    try fields.removeAll(where: predicate)
  }
}

extension HTTPFields: RandomAccessCollection {
  public var startIndex: Int { fields.startIndex }
  public var endIndex: Int { fields.endIndex }
  public subscript(position: Int) -> HTTPField { fields[position] }
}

extension HTTPFields: ExpressibleByDictionaryLiteral {
  public init(dictionaryLiteral elements: (HTTPField.Name, String)...) {
    self.init(elements.map { HTTPField(name: $0, value: $1) })
  }
}

extension HTTPFields: CustomStringConvertible {
  public var description: String { fields.map(\.description).joined(separator: "\n") }
}

extension HTTPFields {
  /// Whether the lines are the same to the byte; `==` does not mind the case of names.
  package func isSpelled(like other: HTTPFields) -> Bool {
    fields.elementsEqual(other.fields) {
      $0.name.rawName == $1.name.rawName && $0.bytes == $1.bytes
    }
  }

  /// The field lines as they go to the wire, each with its CR LF.
  package var wireBytes: [UInt8] {
    var bytes: [UInt8] = []
    for field in self {
      bytes += field.name.rawName.utf8
      bytes += [0x3A, 0x20]
      bytes += field.bytes
      bytes += [0x0D, 0x0A]
    }
    return bytes
  }

  /// The comma-separated members of all lines of a name, in lower case, empty ones left out.
  package func list(_ name: HTTPField.Name) -> [String] {
    self[values: name].flatMap { $0.split(separator: ",") }
      .map { $0.trimmingSpaces().asciiLowercased() }
      .filter { !$0.isEmpty }
  }
}
