/// The head of a response.
///
/// Source: RFC 9110 §15, RFC 9112 §4.
public struct HTTPResponse: Sendable, Hashable {
  /// A status code with its reason phrase.
  public struct Status: Sendable, Hashable {
    /// The code, 100 to 999.
    public var code: Int

    /// The reason phrase as received, possibly empty. It has no meaning for a program.
    public var reasonPhrase: String

    /// Creates a status.
    public init(code: Int, reasonPhrase: String = "") {
      self.code = code
      self.reasonPhrase = reasonPhrase
    }

    /// Whether this is the status of an interim response (1xx), which a final response follows.
    public var isInformational: Bool { (100...199).contains(code) }

    /// Whether the request succeeded (2xx).
    public var isSuccessful: Bool { (200...299).contains(code) }
  }

  /// The status.
  public var status: Status

  /// The header fields, in the order received.
  public var headerFields: HTTPFields

  /// Creates the head of a response.
  public init(status: Status, headerFields: HTTPFields = [:]) {
    self.status = status
    self.headerFields = headerFields
  }
}
