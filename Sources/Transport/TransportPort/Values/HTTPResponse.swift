/// The head of a response.
///
/// Source: RFC 9110 §15, RFC 9112 §4.
public struct HTTPResponse: Sendable, Hashable {
  /// A status code and the phrase beside it.
  public struct Status: Sendable, Hashable {
    /// Three digits, 100 to 999.
    public var code: Int

    /// The phrase as it was sent; empty where there was none. It means nothing to a program.
    public var reasonPhrase: String

    /// A status by its code.
    public init(code: Int, reasonPhrase: String = "") {
      self.code = code
      self.reasonPhrase = reasonPhrase
    }

    /// Whether this is an interim response (1xx), to be followed by a final one.
    public var isInformational: Bool { (100...199).contains(code) }

    /// Whether the request succeeded (2xx).
    public var isSuccessful: Bool { (200...299).contains(code) }
  }

  /// The status.
  public var status: Status

  /// The header fields, in the order in which they came.
  public var headerFields: HTTPFields

  /// A response head.
  public init(status: Status, headerFields: HTTPFields = [:]) {
    self.status = status
    self.headerFields = headerFields
  }
}
