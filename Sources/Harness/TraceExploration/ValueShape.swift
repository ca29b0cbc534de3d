/// The shape of a value: which case, whether there is something, and none, one or many.
///
/// Two values have the same shape if code is likely to treat them alike, such as lists of two and
/// of three elements. The text is the same in every process: of a set or a dictionary only the
/// number of elements counts, not their order.
struct ValueShape {
  /// The most properties of a value that are described.
  private static let breadth = 16

  /// How many structures, classes and payloads within one another are opened. Those further inside
  /// are described by their type or their case.
  var depth: Int

  /// Whether numbers are none, one or many, and texts empty or not.
  var tellsNumbers: Bool

  /// Describes a value.
  func text(of value: Any) -> String { text(of: value, depth: depth) }

  private func text(of value: Any, depth: Int) -> String {
    switch value {
    case let bool as Bool: return "\(bool)"
    case let number as any BinaryInteger: return text(ofNumber: number)
    case let text as any StringProtocol:
      return tellsNumbers ? text.isEmpty ? "\"\"" : "text" : "String"
    case let collection as any Collection: return text(ofCount: collection)
    default: break
    }
    let mirror = Mirror(reflecting: value)
    switch mirror.displayStyle {
    case .optional:
      return mirror.children.first.map { text(of: $0.value, depth: depth) } ?? "nil"
    case .enum:
      guard let payload = mirror.children.first, let name = payload.label else {
        // The description of a case may be a sentence.
        return (value as? any RawRepresentable)?.rawValue as? String ?? "\(value)"
      }
      return depth > 0 ? "\(name)(\(text(ofPayload: payload.value, depth: depth - 1)))" : name
    case .tuple: return "(\(text(of: mirror.children, depth: depth)))"
    default:
      guard depth > 0, !mirror.children.isEmpty else { return "\(type(of: value))" }
      return "(\(text(of: mirror.children, depth: depth - 1)))"
    }
  }

  /// Describes the associated values of a case: several, or one with a label, are a tuple.
  private func text(ofPayload payload: Any, depth: Int) -> String {
    let mirror = Mirror(reflecting: payload)
    return mirror.displayStyle == .tuple
      ? text(of: mirror.children, depth: depth) : text(of: payload, depth: depth)
  }

  private func text(of children: Mirror.Children, depth: Int) -> String {
    children.prefix(Self.breadth).map { text(of: $0.value, depth: depth) }.joined(separator: ", ")
  }

  private func text(ofNumber number: some BinaryInteger) -> String {
    guard tellsNumbers else { return "\(type(of: number))" }
    return number < 0 ? "negative" : number < 2 ? "\(number)" : "many"
  }

  private func text(ofCount collection: some Collection) -> String {
    // Not `count`: it takes long where a collection is linked.
    guard let first = collection.indices.first else { return "[0]" }
    return collection.index(after: first) == collection.endIndex ? "[1]" : "[many]"
  }
}
