/// What a recording replaces before it is written, so that no secret reaches the disk.
///
/// Without any setting, a recording replaces:
/// - the values of Authorization, Proxy-Authorization, Cookie and Set-Cookie, and the user and
///   password in a URL;
/// - values whose name says that they are secret, such as `password`, `client_secret` or `X-Api-Key`,
///   in URLs, header and trailer fields, forms, JSON, GraphQL, XML, HTML and text;
/// - values whose name may be that of a secret, such as `code`, `key` or `session`, if they look random;
/// - values with the shape of a known kind of secret, such as a JWT, a private key in PEM, or a key of
///   AWS, GitHub, Slack or Stripe, in any text.
///
/// It looks into content that is compressed, encoded as base64, hexadecimal or percent-encoded, and into
/// JSON, forms and URLs inside one another. Cookies keep their names, and Authorization its scheme. The
/// replacement is ``placeholder`` for every value; a replay replaces the same values of a request before
/// it looks for an answer.
///
/// A long random word that no rule knows is only suspected: ``RecordingTransport/save()`` fails and names
/// its place. Add it to ``names`` or to ``allowedNames``. Saving also fails if a replaced value still
/// occurs elsewhere in the recording.
///
/// No rule finds a secret that is neither named nor random nor of a known shape, such as a password in a
/// sentence. Name its surroundings in ``texts``.
public struct Redaction: Sendable, Hashable {
  /// The text that replaces a secret.
  public static let placeholder = "REDACTED"

  /// Further names of secret values: header and trailer fields, items of a query or a fragment, fields
  /// of a form, members of JSON, elements and attributes of XML. Case is ignored.
  public var names: Set<String>

  /// Secret values in JSON content of requests and responses: `user.password`, `$.items[*].token`,
  /// `keys[0]`, `$..secret`.
  public var jsonPaths: Set<String>

  /// Paths of URLs with `{}` for a secret and `*` for any segment: `/hooks/*/{}`, `/bot{}/send`. A
  /// longer path that begins like one is included.
  public var paths: Set<String>

  /// Texts with `{}` for a secret, which ends at the next character of the text or at white space,
  /// a quotation mark or an angle bracket: `Your code is {}.`
  public var texts: Set<String>

  /// Names whose values are not secret, whatever the rules say. Case is ignored.
  public var allowedNames: Set<String>

  /// Values that are not secret. In a place that is always redacted they are replaced, but they may
  /// occur elsewhere. The archive does not list them.
  public var allowedValues: Set<String>

  /// Encodings, such as `zstd`, with which content is kept although it cannot be decoded. Only its bytes,
  /// and what they decode to before the decoder fails, are searched. Case is ignored.
  public var allowedEncodings: Set<String>

  /// A rule that does not apply, for tests.
  var missing: RedactionRule?

  /// Creates a redaction; the default has only the rules that always apply.
  public init(
    names: Set<String> = [], jsonPaths: Set<String> = [], paths: Set<String> = [],
    texts: Set<String> = [], allowedNames: Set<String> = [], allowedValues: Set<String> = [],
    allowedEncodings: Set<String> = []
  ) {
    self.names = names
    self.jsonPaths = jsonPaths
    self.paths = paths
    self.texts = texts
    self.allowedNames = allowedNames
    self.allowedValues = allowedValues
    self.allowedEncodings = allowedEncodings
  }
}

extension Redaction {
  /// The names that the archive keeps, so that a replay knows them.
  var json: JSON {
    func list(_ names: Set<String>) -> JSON { .array(names.sorted().map { .string($0) }) }
    return .object([
      "names": list(names), "jsonPaths": list(jsonPaths), "paths": list(paths),
      "texts": list(texts), "allowedNames": list(allowedNames),
      "allowedEncodings": list(allowedEncodings),
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
      // Recordings made before there were names have one list for each kind of place.
      case "names", "fields", "queryItems", "formFields": names.formUnion(try list(&reader))
      case "paths": paths = try list(&reader)
      case "texts": texts = try list(&reader)
      case "allowedNames": allowedNames = try list(&reader)
      case "allowedEncodings": allowedEncodings = try list(&reader)
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
