import Foundation

/// The memory in which `contracts mutate` keeps which mutant is active, and how far a loop may run.
///
/// Words 0 to 3 are those that woven code reads. In word 4 the process that explores names the mutant that the
/// process that makes the calls switches on and off.
final class MutantSwitch: Sendable {
  /// The switch of this process; `nil` if it was not started to look for suggestions.
  static let current: MutantSwitch? = SuggestionRequest.current.flatMap { try? MutantSwitch($0) }

  private nonisolated(unsafe) let words: UnsafeMutablePointer<Int>

  /// Offset of the byte of mutant 0, which is not 0 if the mutant was reached.
  private static let headerSize = 64

  /// Maps the file that the tool names.
  ///
  /// - Throws: ``SuggestionError/state(path:problem:)``, also for a file that has no place for a mutant.
  init(
    _ request: SuggestionRequest,
    at path: String = ProcessInfo.processInfo.environment["CONTRACT_MUTATION_STATE"] ?? ""
  ) throws(SuggestionError) {
    let file = open(path, O_RDWR)
    guard file >= 0 else { throw .state(path: path, problem: String(cString: strerror(errno))) }
    defer { close(file) }
    let size = Int(lseek(file, 0, SEEK_END))
    let needed = Self.headerSize + (request.mutants.max() ?? 0) + 1
    guard size >= needed, request.mutants.allSatisfy({ $0 > 0 }) else {
      throw .state(path: path, problem: "\(size) bytes, and the mutants need \(needed)")
    }
    guard let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0),
      memory != MAP_FAILED
    else { throw .state(path: path, problem: String(cString: strerror(errno))) }
    words = memory.assumingMemoryBound(to: Int.self)
  }

  /// The mutant that calls on the mutated side switch on.
  var chosen: Int {
    get { words[4] }
    set { words[4] = newValue }
  }

  /// Whether any process has reached a mutant's code since ``forgetReached(_:)``.
  func isReached(_ mutant: Int) -> Bool {
    UnsafeRawPointer(words).load(fromByteOffset: Self.headerSize + mutant, as: UInt8.self) != 0
  }

  func forgetReached(_ mutant: Int) {
    UnsafeMutableRawPointer(words)
      .storeBytes(of: 0, toByteOffset: Self.headerSize + mutant, as: UInt8.self)
  }

  /// Calls a closure with the chosen mutant, or with none.
  ///
  /// - Returns: Whether the call passed so many switches that it counts as an endless loop.
  func run(mutated isMutated: Bool, _ call: () async -> Void) async -> Bool {
    let fuel = isMutated ? 1_000_000 : Int.max
    words[1] = fuel
    words[2] = fuel
    words[3] = 0
    words[0] = isMutated ? chosen : 0
    await call()
    words[0] = 0
    return words[3] > 0
  }
}

/// Why no suggestions can be made.
enum SuggestionError: Error, Equatable, CustomStringConvertible {
  /// The memory of the mutants can't be used.
  case state(path: String, problem: String)
  /// A suggestion can't be written.
  case results(path: String, problem: String)

  var description: String {
    switch self {
    case .state(let path, let problem):
      "the mutants' state '\(path)' can't be used: \(problem); run 'contracts suggest' again"
    case .results(let path, let problem):
      "a suggestion can't be written to '\(path)': \(problem); make room there and run "
        + "'contracts suggest' again"
    }
  }
}

/// What the tool asks for, and where the answers go.
struct SuggestionRequest: Codable {
  /// The numbers of the mutants that no case notices.
  var mutants: [Int]
  /// How long to search for each, in seconds.
  var seconds: Double
  /// The file to which answers are appended, as JSON lines.
  var results: String
  /// The names of the types of fixtures whose explorations look for calls; `nil` for all.
  var fixtures: [String]?

  /// The request of this process; `nil` if there is none.
  static let current: SuggestionRequest? =
    ProcessInfo.processInfo.environment["CONTRACT_SUGGEST"].flatMap {
      try? JSONDecoder().decode(Self.self, from: Data($0.utf8))
    }

  /// Adds a line to the file of the answers.
  ///
  /// - Throws: ``SuggestionError/results(path:problem:)``. A part of a line may then be at the file's end, which
  ///   the tool doesn't read, because this process fails.
  func append(_ suggestion: Suggestion) throws {
    var rest = ArraySlice(try JSONEncoder().encode(suggestion) + [10])
    let file = open(results, O_WRONLY | O_APPEND | O_CREAT, 0o600)
    defer { close(file) }
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
      guard count > 0 else {
        throw SuggestionError.results(path: results, problem: String(cString: strerror(errno)))
      }
      rest = rest.dropFirst(count)
    }
  }

  /// The mutants for which earlier explorations of this process found nothing.
  var pending: [Int] {
    let text = (try? String(contentsOfFile: results, encoding: .utf8)) ?? ""
    let noticed = text.split(separator: "\n").compactMap {
      try? JSONDecoder().decode(Suggestion.self, from: Data($0.utf8))
    }.filter { $0.text != nil }.flatMap(\.mutants)
    return mutants.filter { !noticed.contains($0) }
  }
}

/// What was found out about some mutants; written for the tool.
struct Suggestion: Codable {
  /// The mutants that the calls notice, or the one for which there are none.
  var mutants: [Int]
  /// The clause, or the report of a drift; `nil` if nothing was found.
  var text: String?
  /// Whether the fake answers otherwise than the live side, without any mutant.
  var isDrift = false
  /// Why there is no clause, if there is none.
  var reason: String?
}
