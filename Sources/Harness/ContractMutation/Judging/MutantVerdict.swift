/// What became of a mutant.
package struct MutantVerdict: Hashable, Sendable, Codable {
  /// The kinds of results.
  package enum Status: String, Hashable, Sendable, Codable, CaseIterable {
    /// A case failed.
    case killed
    /// A case ended its process: by a trap, a stack overflow or too much memory.
    case crashed
    /// A case passed a multiple of the switches that it passes without the mutant: an endless loop.
    case looped
    /// A case said nothing for several times as long as a case may.
    case timedOut = "timed-out"
    /// No case noticed it.
    case survived
    /// No case reaches it.
    case unreached
    /// It does not compile.
    case unviable

    /// Whether the contracts noticed the mutant.
    package var isDetected: Bool {
      switch self {
      case .killed, .crashed, .looped, .timedOut: true
      case .survived, .unreached, .unviable: false
      }
    }
  }

  /// The result.
  package var status: Status

  /// The case that noticed it, or `nil`.
  package var killer: String?

  /// What the case said.
  package var message: String?

  /// The cases that reach it. Empty unless it survived.
  package var reachedBy: [String] = []

  package init(
    _ status: Status, killer: String? = nil, message: String? = nil, reachedBy: [String] = []
  ) {
    self.status = status
    self.killer = killer
    self.message = message
    self.reachedBy = reachedBy
  }
}
