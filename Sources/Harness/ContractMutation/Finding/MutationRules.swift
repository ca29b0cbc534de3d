import Foundation
import SwiftSource

/// What is left out because no caller can see it, or because a comment says so.
enum MutationRules {
  /// How a comment begins that excludes mutants; see ``ExclusionComments``.
  static let comment = "// not mutated"

  /// Declarations for people who debug, and hash functions, whose quality only costs time.
  private static let declarations: Set = [
    "description", "debugDescription", "customMirror", "errorDescription", "failureReason",
    "recoverySuggestion", "helpAnchor", "playgroundDescription", "hash", "hashValue",
    "_rawHashValue",
  ]

  /// Functions that print, assert or reserve memory.
  private static let functions: [String: String] = [
    "print": "output for people", "debugPrint": "output for people", "dump": "output for people",
    "NSLog": "a log message", "os_log": "a log message",
    "assert": "an assertion", "assertionFailure": "an assertion",
    "precondition": "an assertion", "preconditionFailure": "an assertion",
    "fatalError": "an assertion", "reserveCapacity": "a capacity",
  ]

  /// Why a declaration is left out, or `nil`.
  static func reason(forDeclaration name: String) -> String? {
    declarations.contains(name) ? "'\(name)' is for people or for hash tables" : nil
  }

  /// Why a call is left out, or `nil`.
  static func reason(forCallOf function: SyntaxNode) -> String? {
    if function.usr.contains("6LoggerV") { return "a log message" }
    guard let name = function.baseName, let reason = functions[name] else { return nil }
    // Only the standard library's and Foundation's functions, and not an app's own of that name.
    let isSystem = function.usr.hasPrefix("s:s") || function.usr.hasPrefix("s:S")
    return isSystem || function.usr.contains("10Foundation") ? reason : nil
  }

  /// Whether an expression is the current instant of the system's clocks. No caller can make it equal
  /// to another one.
  static func isCurrentInstant(_ expression: SyntaxNode) -> Bool {
    guard let property = expression.unwrapped.reference, property.baseName == "now" else {
      return false
    }
    return ["s:12_Concurrency15ContinuousClockV", "s:12_Concurrency15SuspendingClockV"]
      .contains { property.usr.hasPrefix($0) }
  }

  /// Whether a call swaps two elements of a standard collection: the order of its arguments has no effect.
  static func isSwap(_ call: SyntaxNode) -> Bool {
    guard let function = call.child("fn")?.reference, function.baseName == "swapAt" else {
      return false
    }
    return function.usr.hasPrefix("s:S") || function.usr.hasPrefix("s:s")
  }

  /// Why an argument is left out, or `nil`.
  static func reason(forArgument label: String) -> String? {
    label == "minimumCapacity" || label == "reservingCapacity" ? "a capacity" : nil
  }
}

/// The comments of a file that exclude mutants.
///
/// `// not mutated: REASON` excludes its line or, on a line of its own, the statement or declaration
/// below. `// not mutated (MUTANT): REASON` excludes only the mutants of its line, or of the line below,
/// whose operator or replacement is MUTANT.
struct ExclusionComments {
  struct Exclusion: Hashable {
    var line: Int
    var only: String?
    var reason: String
  }

  /// The comments by the line whose mutants they exclude.
  private(set) var onLine: [Int: [Exclusion]] = [:]

  /// Reasons by the line below a comment of its own: what begins there is excluded.
  private(set) var above: [Int: String] = [:]

  /// Reads the comments of a file.
  ///
  /// - Throws: ``MutationError`` if a comment gives no reason.
  init(in source: SourceText, file: String) throws(MutationError) {
    for (index, line) in source.lines.enumerated() {
      guard let comment = line.range(of: MutationRules.comment),
        let match = line[comment.upperBound...].prefixMatch(of: /(?: \((.+)\))?:(.*)/)
      else { continue }
      let reason = match.2.trimmingCharacters(in: .whitespaces)
      guard !reason.isEmpty else {
        throw MutationError(
          "\(file):\(index + 1): '\(MutationRules.comment):' needs a reason after the colon")
      }
      let isAlone = line[..<comment.lowerBound].allSatisfy(\.isWhitespace)
      let only = match.1.map(String.init)
      if isAlone, only == nil {
        above[index + 2] = reason
      } else {
        onLine[index + (isAlone ? 2 : 1), default: []].append(
          Exclusion(line: index + 1, only: only, reason: reason))
      }
    }
  }
}
