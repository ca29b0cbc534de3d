@preconcurrency import CGetopt
import Foundation

/// Options and operands of a subcommand, read by getopt_long(3).
struct Arguments {
  /// The values of each option, in order, by its long name.
  private(set) var options: [String: [String]] = [:]

  /// What is not an option.
  private(set) var operands: [String] = []

  /// Reads arguments.
  ///
  /// - Parameters:
  ///   - words: The words after the subcommand.
  ///   - names: The long options; each takes a value.
  /// - Throws: ``UsageError`` for an option that is not known or has no value.
  init(_ words: [String], options names: [String]) throws(UsageError) {
    var copies: [UnsafeMutablePointer<CChar>?] = (["contracts"] + words).map { strdup($0) }
    let long = names.map { strdup($0) }
    defer { for pointer in copies + long { free(pointer) } }
    var table = long.map { name in
      option(name: name, has_arg: required_argument, flag: nil, val: 1)
    }
    table.append(option(name: nil, has_arg: 0, flag: nil, val: 0))
    // getopt(3): 0 begins anew, and the leading ':' keeps it from printing messages of its own.
    optind = 0
    copies.append(nil)
    var index: CInt = 0
    let count = CInt(words.count + 1)
    while true {
      switch getopt_long(count, copies, ":", table, &index) {
      case 1: options[names[Int(index)], default: []].append(String(cString: optarg))
      case -1:
        operands = copies[Int(optind)..<Int(count)].compactMap { $0.map { String(cString: $0) } }
        return
      case CInt(UInt8(ascii: ":")):
        throw UsageError("the option '\(word(copies, before: optind))' needs a value")
      default:
        throw UsageError(
          "the option '\(word(copies, before: optind))' is not known; it takes: "
            + names.map { "--\($0)" }.joined(separator: ", "))
      }
    }
  }

  /// The last value of an option.
  subscript(name: String) -> String? { options[name]?.last }

  /// Every value of an option, split at commas.
  func list(_ name: String) -> [String] {
    (options[name] ?? []).flatMap { $0.split(separator: ",").map(String.init) }
  }
}

/// The word that getopt_long(3) has just read.
private func word(_ words: [UnsafeMutablePointer<CChar>?], before index: CInt) -> String {
  words[max(0, Int(index) - 1)].map { String(cString: $0) } ?? ""
}

/// A call that can't be understood; the process ends with EX_USAGE, 64 (sysexits(3)).
struct UsageError: Error {
  var message: String

  init(_ message: String) { self.message = message }
}
