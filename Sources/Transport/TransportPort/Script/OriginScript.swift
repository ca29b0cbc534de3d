/// The steps of an origin in response to one request or one new connection, in order.
///
/// After the last step, unless a step closed the connection, the origin reads the rest of the
/// request and waits for the next request on the same connection.
public struct OriginScript: Sendable, Hashable, ExpressibleByArrayLiteral {
  /// The steps, in order.
  public var steps: [ScriptStep]

  /// Creates a script.
  public init(_ steps: [ScriptStep] = []) {
    self.steps = steps
  }

  public init(arrayLiteral elements: ScriptStep...) {
    self.init(elements)
  }

  /// Returns a script that plays the left and then the right script.
  public static func + (left: Self, right: Self) -> Self {
    Self(left.steps + right.steps)
  }

  /// Reads the request, then sends a text verbatim.
  public static func raw(_ text: String) -> Self {
    [.readBody, .send(text)]
  }

  /// Reads the request, then sends a well-formed response.
  ///
  /// - Parameters:
  ///   - status: The status code.
  ///   - headerFields: The fields to send. `Content-Length` is added unless they include
  ///     `Content-Length` or `Transfer-Encoding`, or the status is 1xx, 204 or 304.
  ///   - body: The content.
  public static func respond(
    _ status: Int = 200, headerFields: HTTPFields = [:], body: [UInt8] = []
  ) -> Self {
    var fields = headerFields
    let isFramed = fields.contains(.contentLength) || fields.contains(.transferEncoding)
    if !isFramed, status != 204, status != 304, status >= 200 {
      fields[.contentLength] = "\(body.count)"
    }
    let head = Array("HTTP/1.1 \(status) \r\n".utf8) + fields.wireBytes + [0x0D, 0x0A]
    return [.readBody, .send(head + body)]
  }

  /// Reads the request, then sends a well-formed response with text in UTF-8.
  public static func respond(
    _ status: Int = 200, headerFields: HTTPFields = [:], text: String
  ) -> Self {
    respond(status, headerFields: headerFields, body: Array(text.utf8))
  }

  /// Reads the request, then sends a redirect.
  public static func redirect(_ status: Int = 302, to location: String) -> Self {
    respond(status, headerFields: [.location: location])
  }

  /// Returns this script with all sent bytes split into pieces.
  ///
  /// - Parameters:
  ///   - size: The maximum size of a piece in bytes; values below 1 count as 1.
  ///   - pause: The pause between two pieces.
  public func split(into size: Int, pausing pause: Duration? = nil) -> Self {
    let size = max(1, size)
    return Self(
      steps.flatMap { step -> [ScriptStep] in
        guard case .send(let bytes) = step else { return [step] }
        return stride(from: 0, to: bytes.count, by: size).flatMap { start -> [ScriptStep] in
          let piece = ScriptStep.send(Array(bytes[start..<min(start + size, bytes.count)]))
          guard let pause, start > 0 else { return [piece] }
          return [.pause(pause), piece]
        }
      })
  }
}
