/// The answer of one side to a call.
enum SideAnswer<Value> {
  case returned(Value)
  case threw(any Error)
  /// The call is made on the other side only, to find out which of them ends the process.
  case notCalled

  init(_ call: () async throws -> Value) async {
    do { self = .returned(try await call()) } catch { self = .threw(error) }
  }

  /// What the call returned, without an optional around it.
  var value: Any? {
    guard case .returned(let value) = self else { return nil }
    let mirror = Mirror(reflecting: value)
    return mirror.displayStyle == .optional ? mirror.children.first?.value : value
  }
}

/// What is compared of the values that a call returns.
struct AnswerComparison<Value>: Sendable {
  /// Whether two values are alike.
  let areAlike: @Sendable (Value, Value) -> Bool
  /// What is compared of a value, for reports; `nil` if nothing is.
  let part: @Sendable (Value) -> Any?
  /// Whether nothing is compared, because each side chooses what it returns.
  var isOfNothing = false
  /// Where the closure that derives the part is declared.
  var place: SourcePlace?

  /// Compares whole values.
  static var whole: Self {
    Self(areAlike: equality(of: Value.self), part: { $0 })
  }

  static var nothing: Self {
    Self(areAlike: { _, _ in true }, part: { _ in nil }, isOfNothing: true)
  }

  static func part<Part>(of part: @escaping @Sendable (Value) -> Part, at place: SourcePlace)
    -> Self
  {
    let areEqual = equality(of: Part.self)
    return Self(areAlike: { areEqual(part($0), part($1)) }, part: { part($0) }, place: place)
  }
}

/// Whether two errors are alike.
struct ErrorComparison: Sendable {
  let areAlike: @Sendable (any Error, any Error) -> Bool
}

/// Returns a function that compares values with `==`, or by structure where that is `false` for a value
/// and itself, or where there is none.
private func equality<Value>(of type: Value.Type) -> @Sendable (Value, Value) -> Bool {
  if Value.self == Void.self { return { _, _ in true } }
  guard Value.self is any Equatable.Type else {
    return { StructuralComparison.difference($0, $1) == nil }
  }
  return { left, right in
    func isEqual<Known: Equatable>(_ left: Known) -> Bool { left == right as? Known }
    return (left as? any Equatable).map { isEqual($0) } == true
      || StructuralComparison.difference(left, right) == nil
  }
}
