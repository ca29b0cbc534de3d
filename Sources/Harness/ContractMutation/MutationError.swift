/// Mutation can't begin or go on, with what to do about it.
package struct MutationError: Error, CustomStringConvertible {
  /// What happened, to what, and what to do.
  package var description: String

  package init(_ description: String) { self.description = description }
}
