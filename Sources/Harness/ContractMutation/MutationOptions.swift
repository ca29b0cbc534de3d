package import HarnessSupport

/// What to mutate, and what judges.
package struct MutationOptions: Sendable {
  /// The targets to mutate.
  package var targets: [String]
  /// The value of `CONTRACT`: which cases judge, such as `cookies/*@sqlite`. All by default.
  package var selection = "*"
  /// A regular expression of the tests that contain cases, as for `swift test --filter`.
  package var filter = "Contract"
  /// A regular expression of other tests, which judge the mutants that no case notices; or `nil`.
  package var tests: String?
  /// The files or lines whose mutants are judged. All by default.
  package var places: [Place] = []
  /// The commit whose difference from the work tree is judged, or `nil`.
  package var since: String?
  /// The id of the only mutant to judge, or `nil`.
  package var mutant: String?
  /// How many mutants are judged at most.
  package var maximum: Int?
  /// Chooses the mutants if there are more than ``maximum``.
  package var seed = 0
  /// The shard of the mutants.
  package var shard = Shard.whole
  /// Whether to judge again what an earlier run has judged.
  package var isFresh = false
  /// A regular expression of the tests that explore drift, or `nil` to look for those in the package that have a
  /// fixture of the cases that judge.
  package var explorations: String?
  /// How long to search for calls that notice a mutant, in seconds.
  package var searchSeconds = 1

  package init(targets: [String]) { self.targets = targets }

  /// A file, or some of its lines.
  package struct Place: Hashable, Sendable {
    /// The file, relative to the package or only its last part.
    package var file: String
    /// The lines, or `nil` for all.
    package var lines: ClosedRange<Int>?

    package init(file: String, lines: ClosedRange<Int>? = nil) {
      self.file = file
      self.lines = lines
    }

    /// Reads `FILE`, `FILE:LINE` or `FILE:FIRST-LAST`, or returns `nil`.
    package init?(_ text: String) {
      guard let colon = text.lastIndex(of: ":") else {
        self.init(file: text)
        return
      }
      let numbers = text[text.index(after: colon)...].split(separator: "-").map { Int($0) }
      guard (1...2).contains(numbers.count), let first = numbers[0],
        let last = numbers[numbers.count - 1],
        first > 0, first <= last
      else { return nil }
      self.init(file: String(text[..<colon]), lines: first...last)
    }

    /// Whether a mutant begins or ends here.
    func contains(_ mutant: Mutant) -> Bool {
      guard mutant.file == file || mutant.file.hasSuffix("/" + file) else { return false }
      guard let lines else { return true }
      return lines.overlaps(mutant.start.line...mutant.end.line)
    }
  }
}
