import CommandLineSupport
import ContractEvidence
import Foundation
import TransportCurlAdapter
import TransportDecoding
import TransportPort
import TransportRecording

/// `http-recordings verify`: names what the live side answers otherwise than an archive says.
struct VerifyCommand {
  private let file: String
  private let authorities: String?
  private let matcherFile: String?
  private var verification: ArchiveVerification

  init(_ arguments: [String]) throws(UsageError) {
    let arguments = try Arguments(
      arguments,
      options: ["against", "from", "match", "matchers", "method", "seconds", "authorities"])
    guard let file = arguments.operands.first else {
      throw UsageError("'http-recordings verify' needs an archive: verify FILE --against URL")
    }
    if arguments.operands.count > 1 {
      throw UsageError("unexpected argument '\(arguments.operands[1])'; give one archive")
    }
    guard let origin = arguments["against"] else {
      throw UsageError("'http-recordings verify' needs --against URL, such as https://h.example")
    }
    self.file = file
    authorities = arguments["authorities"]
    matcherFile = arguments["matchers"]
    let seconds = try arguments.positiveNumber("seconds") ?? 30
    verification = ArchiveVerification(
      asking: origin, insteadOf: arguments["from"], timeLimit: .seconds(seconds),
      overallTimeLimit: .seconds(10 * seconds))
    for name in arguments.list("method") {
      let method = HTTPRequest.Method(name)
      guard method.isValid else { throw UsageError("--method '\(name)' is not a method") }
      verification.methods.insert(method)
    }
    for text in arguments.options["match"] ?? [] {
      do { verification.matchers.append(try .init(text)) } catch {
        throw UsageError("--match: \(error)")
      }
    }
  }

  func run(printError: (String) -> Void) async throws -> Int32 {
    var verification = verification
    let archive: HTTPArchive
    do throws(HTTPArchiveError) {
      archive = try HTTPArchive(contentsOf: file)
    } catch {
      printError(error.description)
      if case .unreadable = error { return 66 }
      return 65
    }
    if let matcherFile {
      let text = try Self.read(matcherFile)
      // Rules on the command line come later, so they count more.
      do throws(ArchiveVerificationError) {
        verification.matchers = try Self.matchers(in: text) + verification.matchers
      } catch {
        printError("\(matcherFile): \(error)")
        return 65
      }
    }
    let transport = try transport()
    let report: ArchiveVerification.Report
    do throws(ArchiveVerificationError) {
      report = try await archive.verify(
        against: transport.decodingContent(), verification)
    } catch {
      throw UsageError(error.description)
    }
    await transport.shutDown()
    // One line each, whatever the archive and the live side contain.
    let lines = report.description.split(separator: "\n").map { String($0).printable.inert + "\n" }
    try Output.print(lines.joined())
    switch report.verdict {
    case .agrees: return 0
    case .stale: return 1
    case .notVerified: return 2
    }
  }

  private func transport() throws -> CurlTransport {
    var configuration = CurlTransport.Configuration()
    if let authorities { configuration.authorities = .pem(try Self.read(authorities)) }
    return try CurlTransport(configuration)
  }

  /// The rules of a file, without its comments and empty lines.
  private static func matchers(
    in text: String
  ) throws(ArchiveVerificationError) -> [ArchiveVerification.Matcher] {
    var matchers: [ArchiveVerification.Matcher] = []
    for line in text.split(whereSeparator: \.isNewline) {
      let rule = line.prefix { $0 != "#" }
      if rule.contains(where: { !$0.isWhitespace }) { matchers.append(try .init(String(rule))) }
    }
    return matchers
  }

  private static func read(_ path: String) throws(JournalFileError) -> String {
    let data = try Data(readingAll: path, action: "read the file")
    return String(decoding: data, as: UTF8.self)
  }
}
