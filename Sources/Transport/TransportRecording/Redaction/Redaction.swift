public import TransportPort

/// What a recording replaces before it is written, so that no secret reaches the disk.
///
/// The values of Authorization, Proxy-Authorization, Cookie and Set-Cookie are always replaced, and
/// so are user and password in a URL. Cookies keep their names, and Authorization its scheme. The
/// replacement is ``placeholder``; a replay replaces the same parts of a request before it looks
/// for an answer.
///
/// Saving fails if a replaced value of four bytes or more still occurs elsewhere in the recording.
/// Shorter values are replaced only where they are named.
public struct Redaction: Sendable, Hashable {
  /// The text that replaces a secret.
  public static let placeholder = "REDACTED"

  /// The names of further header and trailer fields.
  public var fields: Set<HTTPField.Name>

  /// The names of items in the query or fragment of a URL; also in Location, Content-Location and
  /// Referer.
  public var queryItems: Set<String>

  /// Values in JSON content of requests and responses: `user.password`, `$.items[*].token`,
  /// `keys[0]`, `$..secret`.
  public var jsonPaths: Set<String>

  /// The names of fields in content of type application/x-www-form-urlencoded.
  public var formFields: Set<String>

  /// Values that are not secret although they are in a redacted place, such as `en-US` in a cookie.
  ///
  /// They are replaced there, but may occur elsewhere in the recording. The archive does not list them.
  public var allowedValues: Set<String>

  /// Creates a redaction; the default replaces only what is always replaced.
  public init(
    fields: Set<HTTPField.Name> = [], queryItems: Set<String> = [], jsonPaths: Set<String> = [],
    formFields: Set<String> = [], allowedValues: Set<String> = []
  ) {
    self.fields = fields
    self.queryItems = queryItems
    self.jsonPaths = jsonPaths
    self.formFields = formFields
    self.allowedValues = allowedValues
  }
}

extension Redaction {
  /// The names that the archive keeps, so that a replay knows them.
  var json: JSON {
    func list(_ names: some Sequence<String>) -> JSON { .array(names.sorted().map { .string($0) }) }
    return .object([
      "fields": list(fields.map(\.rawName)), "queryItems": list(queryItems),
      "jsonPaths": list(jsonPaths), "formFields": list(formFields),
    ])
  }

  init(from reader: inout JSONReader) throws {
    self.init()
    func list(_ reader: inout JSONReader) throws -> Set<String> {
      var names: Set<String> = []
      try reader.array { names.insert(try $1.string()) }
      return names
    }
    try reader.object { name, reader in
      switch name {
      case "fields": fields = Set(try list(&reader).map { HTTPField.Name($0) })
      case "queryItems": queryItems = try list(&reader)
      case "formFields": formFields = try list(&reader)
      case "jsonPaths":
        jsonPaths = try list(&reader)
        guard jsonPaths.allSatisfy({ JSONPath($0) != nil }) else {
          throw reader.failure("an unknown JSON path")
        }
      default: try reader.skip()
      }
    }
  }
}
