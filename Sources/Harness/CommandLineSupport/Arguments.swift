@preconcurrency import CGetopt
import Foundation

/// The options and operands of a command, parsed by getopt_long(3).
package struct Arguments {
  /// The values of each option by its long name, in order.
  package private(set) var options: [String: [String]] = [:]

  /// The options without a value that are given, by long name.
  package private(set) var flags: Set<String> = []

  /// The arguments that are not options.
  package private(set) var operands: [String] = []

  /// Parses arguments.
  ///
  /// - Parameters:
  ///   - arguments: The arguments after the command's name.
  ///   - names: The long options that need a value.
  ///   - flags: The long options without a value.
  /// - Throws: ``UsageError`` for an unknown option or a missing value.
  package init(
    _ arguments: [String], options: [String], flags: [String] = []
  ) throws(UsageError) {
    let names = options + flags
    // getopt_long(3) skips the first argument, the program's name.
    var copies: [UnsafeMutablePointer<CChar>?] = ([""] + arguments).map { strdup($0) }
    let long = names.map { strdup($0) }
    defer { for pointer in copies + long { free(pointer) } }
    var table = zip(names, long).map { name, pointer in
      let hasValue = flags.contains(name) ? no_argument : required_argument
      return option(name: pointer, has_arg: hasValue, flag: nil, val: 1)
    }
    table.append(option(name: nil, has_arg: 0, flag: nil, val: 0))
    // 0 resets the parser; the leading ':' turns off the parser's own messages.
    optind = 0
    copies.append(nil)
    var index: CInt = 0
    let count = CInt(arguments.count + 1)
    while true {
      switch getopt_long(count, copies, ":", table, &index) {
      case 1 where flags.contains(names[Int(index)]): self.flags.insert(names[Int(index)])
      case 1: self.options[names[Int(index)], default: []].append(String(cString: optarg))
      case -1:
        operands = copies[Int(optind)..<Int(count)].compactMap { $0.map { String(cString: $0) } }
        return
      case CInt(UInt8(ascii: ":")):
        throw UsageError("option '\(argument(copies, before: optind))' needs a value")
      default:
        let known = names.map { "--\($0)" }.joined(separator: ", ")
        throw UsageError(
          "unknown option '\(argument(copies, before: optind))'; "
            + (known.isEmpty ? "the command has no options" : "the options are \(known)"))
      }
    }
  }

  /// The last value of an option.
  package subscript(name: String) -> String? { options[name]?.last }

  /// All values of an option, split at commas.
  package func list(_ name: String) -> [String] {
    (options[name] ?? []).flatMap { $0.split(separator: ",").map(String.init) }
  }

  /// The value of an option that takes a whole number above 0.
  ///
  /// - Throws: ``UsageError`` for any other value.
  package func positiveNumber(_ name: String) throws(UsageError) -> Int? {
    guard let text = self[name] else { return nil }
    guard let number = UInt32(text), number > 0 else {
      throw UsageError("--\(name) '\(text)' is not valid; give a whole number above 0")
    }
    return Int(number)
  }
}

/// The argument that getopt_long(3) has just parsed.
private func argument(
  _ arguments: [UnsafeMutablePointer<CChar>?], before index: CInt
) -> String {
  arguments[max(0, Int(index) - 1)].map { String(cString: $0) } ?? ""
}

/// The command line is not valid; the process exits with 64 (EX_USAGE, sysexits(3)).
package struct UsageError: Error {
  /// What is wrong and what is valid instead.
  package var message: String

  package init(_ message: String) { self.message = message }
}
