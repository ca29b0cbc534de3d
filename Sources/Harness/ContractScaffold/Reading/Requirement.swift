/// A requirement of a protocol, as its source declares it.
struct Requirement {
  /// What is required.
  enum Kind { case function, property, initializer, subscripting, operatorFunction }

  /// What a requirement may throw.
  enum Throwing: Equatable {
    case nothing
    case anyError
    /// The error's type.
    case typed(String)
    /// What its closures throw.
    case rethrown
  }

  /// A parameter.
  struct Parameter {
    /// The label of the argument, or `nil` if it has none.
    var label: String?
    /// The name in the declaration.
    var name: String
    /// The type, with its attributes.
    var type: String
    var hasDefault = false

    /// Whether the type is that of a closure, as far as the source shows.
    var isClosure: Bool { type.contains("->") || type.contains("@escaping") }
    var isInOut: Bool { type.hasPrefix("inout ") }
    var isVariadic: Bool { type.hasSuffix("...") }
  }

  var kind: Kind
  var name: String
  var isStatic = false
  var isMutating = false
  var isNonisolated = false
  /// `?` or `!` of an initialiser that may fail.
  var failure = ""
  /// The generic parameters with their angle brackets.
  var generics = ""
  var parameters: [Parameter] = []
  var isAsync = false
  var throwing = Throwing.nothing
  /// The type of the result, or `nil` for `Void`.
  var result: String?
  /// The requirements after `where`.
  var constraints: String?
  /// Whether a property or subscript has a setter.
  var isSettable = false
  /// Whether the setter changes a value rather than an object.
  var isSetterMutating = false
  var documentation: [String] = []

  /// Whether a closure can't have the requirement's type.
  var isGeneric: Bool {
    !generics.isEmpty
      || parameters.contains {
        $0.type.split(whereSeparator: \.isPunctuation)
          .contains { $0.split(separator: " ").contains("some") }
      }
  }

  /// Every type that the declaration names.
  var types: [String] { parameters.map(\.type) + (result.map { [$0] } ?? []) }

  /// The name with its labels, as documentation spells it: `enqueue(_:after:)`.
  var signature: String {
    let labels = parameters.map { ($0.label ?? "_") + ":" }.joined()
    switch kind {
    case .property: return name
    case .initializer: return "init(\(labels))"
    case .subscripting: return "subscript(\(labels))"
    case .function, .operatorFunction: return "\(name)(\(labels))"
    }
  }
}

/// An associated type of a protocol.
struct AssociatedType {
  var name: String
  /// The protocols after the colon and in `where` clauses.
  var constraints: [String]
  /// The protocols that its `ID` conforms to by a `where` clause.
  var idConstraints: [String] = []
  /// Whether a `where` clause says more than that the type conforms to a protocol.
  var hasOtherConstraints = false
}

/// A protocol, as its source declares it.
struct ProtocolDeclaration {
  var name: String
  /// `public`, `package`, `internal`, `fileprivate` or `private`.
  var access = "internal"
  /// The attributes with their `@`.
  var attributes: [String] = []
  var primaryTypes: [String] = []
  var inherits: [String] = []
  var associatedTypes: [AssociatedType] = []
  var requirements: [Requirement] = []
  /// The modules that the file imports.
  var imports: [String] = []
  /// Whether some requirements stand between `#if` and `#endif`.
  var isConditional = false
  /// What stands in the body and was not understood.
  var unread: [String] = []
  var documentation: [String] = []
}
