import Foundation
import Testing

/// The location of a test case's recording.
struct RecordingFile: Hashable {
  /// The folder of all recordings beside the test's source.
  let folder: String
  /// The name inside the folder, without the extension.
  let name: String

  var path: String { "\(folder)/\(name).har" }

  init(
    _ trait: RecordedTrait, _ test: Test, _ testCase: Test.Case?
  ) throws(RecordedTestError) {
    folder =
      trait.folder
      ?? URL(fileURLWithPath: test.sourceLocation.filePath).deletingLastPathComponent()
      .appendingPathComponent("Recordings").path
    var name = trait.name ?? test.id.nameComponents.map { Self.fileName($0) }.joined(separator: "/")
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.allSatisfy({ !$0.isEmpty && $0.first != "." && $0.utf8.allSatisfy(\.isInFileName) })
    else { throw .invalidName(name) }
    if let testCase, testCase.isParameterized {
      guard let arguments = testCase.recordedArguments else { throw .unnamedArguments }
      // A comma is not valid in a file name, so the name gets a digest.
      let separator = arguments.contains { $0.contains("_") } ? "," : "_"
      name += "/" + Self.fileName(arguments.joined(separator: separator))
    }
    self.name = name
  }

  /// A file name for a text: the text if it is a valid name, or else its valid characters and a digest.
  static func fileName(_ text: String) -> String {
    var plain = text
    if plain.hasSuffix("()") { plain.removeLast(2) }
    var name = ""
    for byte in plain.utf8 {
      if byte.isInFileName {
        name.unicodeScalars.append(Unicode.Scalar(byte))
      } else if name.last != "-" {
        name += "-"
      }
    }
    if name == plain, name.utf8.count <= 60, !name.isEmpty, name.first != "." { return name }
    let start = name.prefix(50).drop { $0 == "." || $0 == "-" }
    let end = start.last == "-" ? start.dropLast() : start
    return "\(end)-\(digest(plain))"
  }

  /// The digits of the 64-bit FNV-1a hash, which is the same in every process, unlike `Hasher`.
  private static func digest(_ text: String) -> String {
    let hash = text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { hash, byte in
      (hash ^ UInt64(byte)) &* 0x100_0000_01b3
    }
    return String(hash, radix: 36)
  }
}

extension UInt8 {
  fileprivate var isInFileName: Bool {
    switch self {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"),
      UInt8(ascii: "."):
      true
    default: false
    }
  }
}

extension Test.Case {
  /// The names of the case's arguments, the same in every process; `nil` if they are unknown.
  ///
  /// Swift Testing has no public API for the arguments of a case, so this reads them with a mirror.
  var recordedArguments: [String]? {
    var values: [Any] = []
    Self.collectArguments(of: self, depth: 0, into: &values)
    return values.isEmpty ? nil : values.map(Self.text)
  }

  /// Finds the values of `Test.Case.Argument`, whose properties are `value`, `id` and `parameter`.
  private static func collectArguments(of value: Any, depth: Int, into values: inout [Any]) {
    let children = Mirror(reflecting: value).children
    if let argument = children.first(where: { $0.label == "value" }),
      children.contains(where: { $0.label == "parameter" })
    {
      values.append(argument.value)
    } else if depth < 4 {
      for child in children { collectArguments(of: child.value, depth: depth + 1, into: &values) }
    }
  }

  private static func text(_ value: Any) -> String {
    // Swift Testing describes a string with quotation marks.
    if let value = value as? String { return value }
    if let value = value as? any CustomTestArgumentEncodable {
      let encoder = JSONEncoder()
      encoder.outputFormatting = .sortedKeys
      if let data = try? encoder.encode(EncodedArgument(value: value)) {
        return String(decoding: data, as: UTF8.self)
      }
    }
    if let value = value as? any CustomTestStringConvertible { return value.testDescription }
    return String(describing: value)
  }
}

private struct EncodedArgument: Encodable {
  var value: any CustomTestArgumentEncodable

  func encode(to encoder: any Encoder) throws { try value.encodeTestArgument(to: encoder) }
}

#if compiler(<6.3)
  extension SourceLocation {
    /// The path of the source file.
    var filePath: String { _filePath }
  }
#endif
