/// A structure, enumeration, class, actor or alias, or an extension of one.
struct TypeDeclaration {
  /// A case of an enumeration.
  struct Case {
    var name: String
    /// The associated values: labels and types.
    var values: [Requirement.Parameter] = []
  }

  /// The name with the types that it is nested in: `Job.ID`.
  var name: String
  /// `struct`, `enum`, `class`, `actor`, `extension` or `typealias`.
  var kind: String
  var access = "internal"
  var inherits: [String] = []
  var isGeneric = false
  /// Whether an attribute such as `@MainActor` isolates it.
  var isIsolated = false
  /// The type that an alias stands for.
  var aliased: String?
  /// The type of the property `id`.
  var idType: String?
  var cases: [Case] = []
  /// The initializers that are written, with their access.
  var initializers: [(access: String, requirement: Requirement)] = []
  /// The stored properties of an instance that have a type: the parameters of the memberwise initializer.
  var stored: [Requirement.Parameter] = []
  /// Whether the memberwise initializer is private, or not known.
  var hidesMembers = false

  /// The initializer that the compiler makes for a structure that has no other.
  var memberwise: Requirement? {
    guard kind == "struct", initializers.isEmpty, !hidesMembers else { return nil }
    var made = Requirement(kind: .initializer, name: "init")
    made.parameters = stored
    return made
  }
}
