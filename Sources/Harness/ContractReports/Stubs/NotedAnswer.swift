import ContractEvidence
import Foundation

/// An answer of a port: one that a test's fake gave, or one that the real thing gave.
///
/// A line of the file that `CONTRACT_STUBS` names is one, and so is an exchange of a recording. Whatever has
/// a request and the real answer to it backs stubs.
public struct NotedAnswer: Hashable, Sendable {
  /// The port, such as `feedback`; `http` for exchanges.
  public var port: String
  /// The request; for `http` the method and the URL.
  public var request: String
  /// The answer; for `http` the status and the media type.
  public var answer: String
  /// The answer's content, if it is known.
  public var content: String?
  /// Where a test scripted the answer; `nil` for an answer of the real thing.
  public var place: Place?
  /// Where the answer of the real thing was noted, for reports: `shop.har, 2026-11-20`.
  public var source: String

  /// A place in a test's source.
  public struct Place: Hashable, Sendable, Comparable {
    /// The file, as `Module/File.swift`.
    public var file: String
    /// The line, from 1.
    public var line: Int

    package init(file: String, line: Int) {
      self.file = file
      self.line = line
    }

    public static func < (one: Self, other: Self) -> Bool {
      (one.file, one.line) < (other.file, other.line)
    }
  }

  package init(
    port: String, request: String, answer: String, content: String? = nil, place: Place? = nil,
    source: String
  ) {
    self.port = port
    self.request = request
    self.answer = answer
    self.content = content
    self.place = place
    self.source = source
  }

  /// Reads a ledger of stubs.
  ///
  /// - Parameter path: The file's path.
  /// - Throws: ``JournalFileError`` if the file can't be read, and ``StubFileError`` if a line of it is no
  ///   noted answer.
  public static func ledger(contentsOf path: String) throws -> [NotedAnswer] {
    let data = try Data(readingAll: path, action: "read the ledger of stubs")
    let name = (path as NSString).lastPathComponent
    return try data.split(separator: 0x0a).enumerated().map { index, bytes in
      do {
        return try JSONDecoder().decode(Line.self, from: Data(bytes)).answer(in: name)
      } catch let error as StubFileError {
        throw StubFileError(path: path, line: index + 1, reason: error.reason)
      } catch {
        throw StubFileError(
          path: path, line: index + 1, reason: "it is not a line of a ledger of stubs")
      }
    }
  }

  /// A line of the format that the module `StubLedger` writes.
  private struct Line: Decodable {
    var version: Int
    var kind: String
    var port: String
    var request: String
    var answer: String
    var content: String?
    var file: String?
    var line: Int?
    var time: Double

    func answer(in name: String) throws(StubFileError) -> NotedAnswer {
      guard version == 1 else {
        throw StubFileError(reason: "it has format \(version), and this tool reads format 1")
      }
      guard time >= 0, time <= 1e12 else {
        throw StubFileError(reason: "'time' can't be \(time)")
      }
      switch (kind, file, line) {
      case ("live", _, _):
        return NotedAnswer(
          port: port, request: request, answer: answer, content: content,
          source: "\(name), \(Day(at: time))")
      case ("stub", let file?, let line?):
        return NotedAnswer(
          port: port, request: request, answer: answer, content: content,
          place: Place(file: file, line: line), source: name)
      default: throw StubFileError(reason: "it has the kind '\(kind)' without what belongs to it")
      }
    }
  }
}

/// A file of stubs or of recorded answers has content that can't be used.
public struct StubFileError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file's path.
  public var path = ""
  /// The line, from 1, or `nil` for the whole file.
  public var line: Int?
  /// What is wrong with it.
  public var reason: String

  public var description: String { "\(path)\(line.map { ":\($0)" } ?? ""): \(reason)" }
}
