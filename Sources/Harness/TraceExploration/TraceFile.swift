package import ExplorationEngine
import Foundation
import HarnessSupport
internal import LockStepExploration

/// A file of traces: JSON lines, one for the recording, one for each trace, and one for each step.
///
///     {"format":1,"implementation":"sqlite","machine":"…","recorded":"2030-03-17T17:46:40Z",…}
///     {"covers":["store → change(Cookie, nil)"],"digest":"0123456789abcdef"}
///     {"command":{"store":…},"response":{"change":…}}
///
/// The lines of equal traces are equal in every process, so a changed line is a changed answer. A
/// trace's digest shows when a step was edited or lost.
package struct TraceFile<Spec: Specification>: Sendable
where Spec.Command: Codable, Spec.Response: Codable {
  /// The largest file that is read, in bytes.
  package static var largestSize: Int { 16 << 20 }

  /// The version of the format.
  static var format: Int { 1 }

  package var origin: TraceOrigin
  package var traces: [Trace<Spec>]

  package init(_ traces: [Trace<Spec>], from origin: TraceOrigin) {
    self.traces = traces
    self.origin = origin
  }

  // MARK: - Writing

  /// Replaces a file, or leaves it as it was.
  ///
  /// - Throws: ``TraceFileError`` if a value does not read back as itself, or the file cannot be
  ///   written.
  package func write(to file: URL, of specification: Spec) throws(TraceFileError) {
    let text = try text(of: specification, in: file)
    do {
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).writeDurably(to: file)
    } catch {
      throw TraceFileError(file, .unwritable("\(error)"))
    }
  }

  private func text(of specification: Spec, in file: URL) throws(TraceFileError) -> String {
    var lines: [String] = []
    do {
      lines.append(
        try JSONLine.text(
          TraceHeader(
            format: Self.format, specification: specification.typeName, traces: traces.count,
            origin: origin)))
      for trace in traces {
        let steps = try trace.steps.map { try Self.line(of: $0) }
        lines.append(
          try JSONLine.text(TraceStart(covers: trace.covers, digest: Self.digest(of: steps))))
        lines += steps
      }
    } catch let error as TraceValueError {
      throw TraceFileError(file, .valueNotRestored(error.description))
    } catch {
      throw TraceFileError(file, .valueNotRestored("it cannot be encoded: \(error)"))
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func line(of step: Trace<Spec>.Step) throws -> String {
    let text = try JSONLine.text(StepLine(command: step.command, response: step.response))
    let data = Data(text.utf8)
    let command = try JSONLine.value(CommandPart.self, from: data).command
    guard command == step.command else {
      throw TraceValueError(value: "\(step.command)", restored: "\(command)")
    }
    let response = try JSONLine.value(ResponsePart.self, from: data).response
    guard response == step.response else {
      throw TraceValueError(value: "\(step.response)", restored: "\(response)")
    }
    return text
  }

  private static func digest(of lines: [String]) -> String {
    var fingerprint = Fingerprint()
    for line in lines { fingerprint.add(word: line) }
    return fingerprint.hexadecimal
  }

  private struct StepLine: Encodable {
    var command: Spec.Command
    var response: Spec.Response
  }

  private struct CommandPart: Decodable { var command: Spec.Command }

  private struct ResponsePart: Decodable { var response: Spec.Response }

  // MARK: - Reading

  /// Reads a file.
  ///
  /// - Throws: ``TraceFileError``, which names the line and what to do.
  package init(reading file: URL, of specification: Spec) throws(TraceFileError) {
    let lines = try TraceLines(of: file, atMost: Self.largestSize)
    let header = try Self.header(of: lines, specification)
    origin = header.origin
    traces = []
    var number = 2
    while let line = lines.number(from: number) {
      let start = try lines.value(TraceStart.self, at: line, key: "digest")
      var steps: [Trace<Spec>.Step] = []
      var texts: [String] = []
      number = line + 1
      while let line = lines.number(from: number), try !lines.hasKey("digest", at: line) {
        steps.append(try Self.step(at: line, of: lines))
        texts.append(lines[line])
        number = line + 1
      }
      guard Self.digest(of: texts) == start.digest else { throw lines.error(.changed, at: line) }
      traces.append(Trace(steps, covering: start.covers, at: line + 1))
    }
    guard traces.count == header.traces else {
      throw lines.error(.incomplete(traces: traces.count, of: header.traces), at: 1)
    }
  }

  private static func header(
    of lines: TraceLines, _ specification: Spec
  ) throws(TraceFileError) -> TraceHeader {
    guard try lines.hasKey("format", at: 1) else { throw lines.error(.noHeader, at: 1) }
    let format = try lines.value(TraceFormat.self, at: 1, key: "format").format
    guard format == Self.format else { throw lines.error(.otherFormat(format), at: 1) }
    let header = try lines.value(TraceHeader.self, at: 1, key: "format")
    guard header.specification == specification.typeName else {
      throw lines.error(
        .otherSpecification(header.specification, expected: specification.typeName), at: 1)
    }
    return header
  }

  private static func step(
    at line: Int, of lines: TraceLines
  ) throws(TraceFileError) -> Trace<Spec>.Step {
    let data = Data(lines[line].utf8)
    guard try lines.hasKey("command", at: line) else { throw lines.error(.notAStep, at: line) }
    let command: Spec.Command
    let response: Spec.Response
    do {
      command = try JSONLine.value(CommandPart.self, from: data).command
    } catch {
      throw lines.error(.unknownCommand(JSONLine.reason(error)), at: line)
    }
    do {
      response = try JSONLine.value(ResponsePart.self, from: data).response
    } catch {
      throw lines.error(.unknownResponse(JSONLine.reason(error)), at: line)
    }
    return Trace.Step(command, response)
  }
}

/// The version of the first line's format, which is read before the rest.
private struct TraceFormat: Decodable { var format: Int }

/// The first line: the recording, and what shows that the file is whole.
private struct TraceHeader: Codable {
  var format: Int
  var specification: String
  var traces: Int
  var origin: TraceOrigin

  private enum CodingKeys: CodingKey { case format, specification, traces }

  init(format: Int, specification: String, traces: Int, origin: TraceOrigin) {
    self.format = format
    self.specification = specification
    self.traces = traces
    self.origin = origin
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    format = try container.decode(Int.self, forKey: .format)
    specification = try container.decode(String.self, forKey: .specification)
    traces = try container.decode(Int.self, forKey: .traces)
    origin = try TraceOrigin(from: decoder)
  }

  func encode(to encoder: any Encoder) throws {
    try origin.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(format, forKey: .format)
    try container.encode(specification, forKey: .specification)
    try container.encode(traces, forKey: .traces)
  }
}

/// The line before the steps of a trace.
private struct TraceStart: Codable {
  var covers: [String]
  var digest: String
}

/// A value that JSON does not restore, such as one whose coding leaves out a part.
private struct TraceValueError: Error, CustomStringConvertible {
  var value: String
  var restored: String

  var description: String { "\(value) reads back as \(restored)" }
}
