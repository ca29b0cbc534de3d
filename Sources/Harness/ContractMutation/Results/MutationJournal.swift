import Foundation

/// The results of runs, as a file of JSON lines. Files of several machines merge by concatenation.
package struct MutationJournal: Sendable {
  /// What a run was about.
  package struct Run: Hashable, Sendable, Codable {
    /// The mutated targets.
    package var targets: [String]
    /// How many mutants the targets have.
    package var mutants: Int
    /// The cases that judged.
    package var cases: [String]
    /// The cases that could not judge, with the reasons.
    package var leftOut: [String: String]
    /// The places that were not mutated.
    package var excluded: [ExcludedPlace]
    /// What the cases of each implementation reach.
    package var columns: [ImplementationReach]? = nil
  }

  /// The result of a mutant.
  package struct Result: Hashable, Sendable, Codable {
    /// The mutant.
    package var mutant: Mutant
    /// What became of it.
    package var verdict: MutantVerdict
    /// A fingerprint of the mutant's file and of all code that judges it.
    package var key: String
    /// A fingerprint of the mutant's file.
    package var fileKey: String
  }

  private struct Line: Codable {
    var run: Run?
    var result: Result?
  }

  /// The latest run, or `nil` if the files contain none.
  package private(set) var run: Run?

  /// The latest result of each mutant, by its id.
  package private(set) var results: [String: Result] = [:]

  /// Creates a journal without results.
  package init() {}

  /// Reads files.
  ///
  /// An incomplete last line, of a run that was ended, is left out.
  ///
  /// - Throws: ``MutationError`` if a file can't be read or has another form.
  package init(contentsOf paths: [String]) throws(MutationError) {
    for path in paths {
      guard let data = FileManager.default.contents(atPath: path) else {
        throw MutationError("can't read \(path); 'contracts mutate' writes it")
      }
      let lines = data.split(separator: UInt8(ascii: "\n"))
      for (index, line) in lines.enumerated() {
        do {
          add(try JSONDecoder().decode(Line.self, from: line))
        } catch {
          guard index == lines.count - 1 else {
            throw MutationError("\(path):\(index + 1): not a line of 'contracts mutate': \(error)")
          }
        }
      }
    }
  }

  private mutating func add(_ line: Line) {
    if let run = line.run { add(run) }
    if let result = line.result { add(result) }
  }

  /// Adds what a run was about.
  mutating func add(_ run: Run) { self.run = run }

  /// Adds a result, instead of an earlier one of the same mutant.
  mutating func add(_ result: Result) { results[result.mutant.id] = result }

  /// The line of a run.
  static func line(_ run: Run) -> String { encoded(Line(run: run)) }

  /// The line of a result.
  static func line(_ result: Result) -> String { encoded(Line(result: result)) }

  private static func encoded(_ line: Line) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // The types hold only strings and integers, which can always be encoded.
    guard let data = try? encoder.encode(line) else { return "" }
    return String(decoding: data, as: UTF8.self) + "\n"
  }
}
