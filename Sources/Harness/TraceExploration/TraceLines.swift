import Foundation
internal import LockStepExploration

/// The lines of a file of traces, numbered from 1. Empty lines are skipped.
struct TraceLines {
  private let file: URL
  private let lines: [String]
  private let endsWithNewline: Bool

  /// Reads a file, without trust in what it holds.
  ///
  /// - Throws: ``TraceFileError`` if it is missing, no regular file, larger than the limit, no
  ///   text, empty, or has marks of a merge.
  init(of file: URL, atMost limit: Int) throws(TraceFileError) {
    self.file = file
    let data = try Self.data(of: file, atMost: limit)
    guard !data.isEmpty else { throw TraceFileError(file, .noHeader, line: 1) }
    var lines: [String] = []
    for bytes in data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      // Version control may have changed the ends of lines.
      let bytes = bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes
      guard let line = String(validating: bytes, as: UTF8.self) else {
        throw TraceFileError(file, .notText, line: lines.count + 1)
      }
      lines.append(line)
      if ["<<<<<<<", "=======", ">>>>>>>", "|||||||"].contains(where: { line.hasPrefix($0) }) {
        throw TraceFileError(file, .mergeConflict, line: lines.count)
      }
    }
    endsWithNewline = data.last == UInt8(ascii: "\n")
    self.lines = lines
  }

  private static func data(of file: URL, atMost limit: Int) throws(TraceFileError) -> Data {
    do {
      let attributes = try FileManager.default.attributesOfItem(
        atPath: file.resolvingSymlinksInPath().path)
      // Opening a pipe would wait for a writer.
      guard attributes[.type] as? FileAttributeType == .typeRegular else {
        throw TraceFileError(file, .notAFile)
      }
      let handle = try FileHandle(forReadingFrom: file)
      defer { try? handle.close() }
      let data = try handle.read(upToCount: limit + 1) ?? Data()
      guard data.count <= limit else { throw TraceFileError(file, .tooLarge(limit: limit)) }
      return data
    } catch let error as TraceFileError {
      throw error
    } catch {
      let isMissing = !FileManager.default.fileExists(atPath: file.path)
      throw TraceFileError(file, isMissing ? .missing : .unreadable("\(error)"))
    }
  }

  /// The text of a line.
  subscript(number: Int) -> String { lines[number - 1] }

  /// The number of the first line from `number` on that is not empty.
  func number(from number: Int) -> Int? {
    lines.indices.dropFirst(number - 1).first { !lines[$0].isEmpty }.map { $0 + 1 }
  }

  /// Whether a line is an object with a key.
  func hasKey(_ key: String, at number: Int) throws(TraceFileError) -> Bool {
    do {
      return try JSONLine.value(Keys.self, from: Data(self[number].utf8)).names.contains(key)
    } catch {
      throw self.error(isCutOff(number) ? .truncated : .notJSON(JSONLine.reason(error)), at: number)
    }
  }

  /// Decodes a line that must have a key.
  func value<Value: Decodable>(
    _ type: Value.Type, at number: Int, key: String
  ) throws(TraceFileError) -> Value {
    guard try hasKey(key, at: number) else { throw error(.notATrace, at: number) }
    do {
      return try JSONLine.value(type, from: Data(self[number].utf8))
    } catch {
      throw self.error(.notJSON(JSONLine.reason(error)), at: number)
    }
  }

  func error(_ problem: TraceFileError.Problem, at line: Int) -> TraceFileError {
    TraceFileError(file, problem, line: line)
  }

  /// Whether a line is the last one and has no end.
  private func isCutOff(_ number: Int) -> Bool { number == lines.count && !endsWithNewline }

  /// The keys of an object, whatever its values are.
  private struct Keys: Decodable {
    var names: Set<String>

    private struct Name: CodingKey {
      var stringValue: String
      var intValue: Int? { nil }

      init?(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
      names = Set(try decoder.container(keyedBy: Name.self).allKeys.map(\.stringValue))
    }
  }
}

/// JSON on one line, as people compare it: sorted keys, and dates of whole seconds as ISO 8601.
///
/// Other dates are numbers of seconds since 2001, which are exact.
enum JSONLine {
  static func text(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .custom { date, encoder in
      var container = encoder.singleValueContainer()
      if let text = text(of: date) {
        try container.encode(text)
      } else {
        try container.encode(date.timeIntervalSinceReferenceDate)
      }
    }
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  static func value<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .custom { decoder in
      let container = try decoder.singleValueContainer()
      if let seconds = try? container.decode(Double.self) {
        return Date(timeIntervalSinceReferenceDate: seconds)
      }
      return try Date(container.decode(String.self), strategy: .iso8601)
    }
    return try decoder.decode(type, from: data)
  }

  /// The date as ISO 8601, if it has whole seconds and a year of four digits.
  private static func text(of date: Date) -> String? {
    let seconds = date.timeIntervalSince1970
    guard seconds == seconds.rounded(), (0...253_402_300_799).contains(seconds) else { return nil }
    let text = date.formatted(.iso8601)
    return (try? Date(text, strategy: .iso8601)) == date ? text : nil
  }

  /// What a decoder complains about, and where.
  static func reason(_ error: any Error) -> String {
    guard let error = error as? DecodingError else { return "\(error)" }
    let context =
      switch error {
      case .typeMismatch(_, let context), .valueNotFound(_, let context),
        .keyNotFound(_, let context), .dataCorrupted(let context):
        context
      @unknown default: DecodingError.Context(codingPath: [], debugDescription: "\(error)")
      }
    let path = context.codingPath.map(\.stringValue).joined(separator: ".")
    return path.isEmpty ? context.debugDescription : "\(path): \(context.debugDescription)"
  }
}
