/// A scaffold can't be written: what happened, to what, and what to do.
package struct ScaffoldError: Error, CustomStringConvertible {
  /// Whether the arguments, a source file or a file to write is at fault.
  package enum Kind: Sendable {
    /// The arguments do not fit the package.
    case arguments
    /// A source file can't be read, or has other contents than expected.
    case source
    /// A file can't be written.
    case output
  }

  /// What is at fault.
  package var kind: Kind

  /// What happened, to what, and what to do.
  package var description: String

  init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }
}
