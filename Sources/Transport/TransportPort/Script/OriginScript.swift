/// What an origin does about one request, or about one new connection: its steps, in order.
///
/// When the steps are done and none of them ended the connection, the origin reads what is left of
/// the request and waits for the next one on the same connection.
public struct OriginScript: Sendable, Hashable, ExpressibleByArrayLiteral {
  /// The steps, in order.
  public var steps: [ScriptStep]

  /// A script of these steps.
  public init(_ steps: [ScriptStep] = []) {
    self.steps = steps
  }

  public init(arrayLiteral elements: ScriptStep...) {
    self.init(elements)
  }

  /// This script, followed by another.
  public static func + (left: Self, right: Self) -> Self {
    Self(left.steps + right.steps)
  }

  /// Reads the request, then sends these bytes as they are.
  public static func raw(_ text: String) -> Self {
    [.readBody, .send(text)]
  }

  /// Reads the request, then sends a well-formed response.
  ///
  /// - Parameters:
  ///   - status: The status code.
  ///   - headerFields: Fields to send; `Content-Length` is added unless one of them frames the body
  ///     or the status allows none.
  ///   - body: The content.
  public static func respond(
    _ status: Int = 200, headerFields: HTTPFields = [:], body: [UInt8] = []
  ) -> Self {
    var fields = headerFields
    let isFramed = fields.contains(.contentLength) || fields.contains(.transferEncoding)
    if !isFramed, status != 204, status != 304, !(100...199).contains(status) {
      fields[.contentLength] = "\(body.count)"
    }
    let head = Array("HTTP/1.1 \(status) \r\n".utf8) + fields.wireBytes + [0x0D, 0x0A]
    return [.readBody, .send(head + body)]
  }

  /// Reads the request, then sends a well-formed response with text as its content.
  public static func respond(
    _ status: Int = 200, headerFields: HTTPFields = [:], text: String
  ) -> Self {
    respond(status, headerFields: headerFields, body: Array(text.utf8))
  }

  /// Reads the request, then sends a redirect.
  public static func redirect(_ status: Int = 302, to location: String) -> Self {
    respond(status, headerFields: [.location: location])
  }

  /// The same script with everything it sends cut into pieces of at most this many bytes.
  ///
  /// - Parameters:
  ///   - size: The most bytes of a piece, at least one.
  ///   - pause: What to wait between pieces.
  public func split(into size: Int, pausing pause: Duration? = nil) -> Self {
    let size = max(1, size)
    return Self(
      steps.flatMap { step -> [ScriptStep] in
        guard case .send(let bytes) = step, bytes.count > size else { return [step] }
        return stride(from: 0, to: bytes.count, by: size).flatMap { start -> [ScriptStep] in
          let piece = ScriptStep.send(Array(bytes[start..<min(start + size, bytes.count)]))
          guard let pause, start > 0 else { return [piece] }
          return [.pause(pause), piece]
        }
      })
  }
}
