/// The field lines of a message, in order; lines with the same name stay separate.
///
/// Source: RFC 9110 §5.2 and §5.3.
public struct HTTPFields: Sendable, Hashable {
  private var fields: [HTTPField]

  /// Creates an empty collection of fields.
  public init() {
    self.fields = []
  }

  /// Creates a collection of fields in the given order.
  public init(_ fields: some Sequence<HTTPField>) {
    self.fields = Array(fields)
  }

  /// The value of a field, with the values of repeated lines joined by `", "`.
  ///
  /// `Set-Cookie` values cannot be joined, so the getter returns the first one; use `[values:]` for
  /// all of them. Setting a value replaces all lines of that name by one line at the position of
  /// the first; `nil` removes them.
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

  /// The values of all lines with a name, one per line.
  public subscript(values name: HTTPField.Name) -> [String] {
    get { self[fields: name].map(\.value) }
    set { self[fields: name] = newValue.map { HTTPField(name: name, value: $0) } }
  }

  /// The lines with a name, in order.
  public subscript(fields name: HTTPField.Name) -> [HTTPField] {
    get { fields.filter { $0.name == name } }
    set {
      let index = fields.firstIndex { $0.name == name } ?? fields.endIndex
      fields.removeAll { $0.name == name }
      fields.insert(contentsOf: newValue, at: index)
    }
  }

  /// Appends a line.
  public mutating func append(_ field: HTTPField) {
    fields.append(field)
  }

  /// Whether at least one line has this name.
  public func contains(_ name: HTTPField.Name) -> Bool {
    fields.contains { $0.name == name }
  }

  /// Replaces the value of the last line, which must exist.
  mutating func replaceLast(by bytes: [UInt8]) {
    fields[fields.count - 1].bytes = bytes
  }

  /// Removes every line that satisfies the predicate.
  public mutating func removeAll(where predicate: (HTTPField) throws -> Bool) rethrows {
    try fields.removeAll(where: predicate)
  }
}

extension HTTPFields: RandomAccessCollection {
  public var startIndex: Int { 0 }
  public var endIndex: Int { fields.count }
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
  /// Whether the lines are identical to the byte; `==` ignores the case of names.
  package func isSpelled(like other: HTTPFields) -> Bool {
    // Elements of a sequence would be copied, which retains three objects of each.
    fields.count == other.fields.count
      && fields.indices.allSatisfy {
        fields[$0].name.rawName == other.fields[$0].name.rawName
          && fields[$0].bytes == other.fields[$0].bytes
      }
  }

  /// The field lines in HTTP/1.1 syntax, each with its CR LF.
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

  /// The comma-separated members of all lines with a name, in lower case, without empty members.
  package func list(_ name: HTTPField.Name) -> [String] {
    self[values: name].flatMap { $0.split(separator: ",") }
      .map { $0.trimmingSpaces().asciiLowercased() }
      .filter { !$0.isEmpty }
  }
}
