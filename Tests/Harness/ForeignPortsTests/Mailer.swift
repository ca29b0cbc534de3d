import ContractTesting
import DriftExploration
import Foundation
import ServerFixtures
import SystemLocks
import Testing

/// Sends messages, as an app sees it.
protocol Mailer: Sendable {
  /// Sends a message to everyone whose address the server accepts.
  func send(_ mail: Mail) throws(MailError)
  /// What has arrived at an address.
  func mailbox(_ address: String) throws(MailError) -> [ReceivedMail]
}

struct Mail: Hashable, Sendable {
  var to: [String]
  var blindCopies: [String]
  var subject: String
  var body: String
}

struct ReceivedMail: Hashable, Codable, Sendable {
  var to: String
  var blindCopies: String?
  var subject: String
  var body: String
}

enum MailError: Error, Hashable {
  case noRecipients
  /// The addresses that the server did not accept.
  case refused([String])
  case invalidSubject
  case broken(message: String)
}

/// The fake: mailboxes in a dictionary.
final class MemoryMailer: Mailer {
  private let boxes = Mutex<[String: [ReceivedMail]]>([:])
  private let flaw: MailFlaw?

  init(_ flaw: MailFlaw? = nil) { self.flaw = flaw }

  func send(_ mail: Mail) throws(MailError) {
    if flaw != .acceptsLinesInSubject, mail.subject.contains(where: \.isNewline) {
      throw .invalidSubject
    }
    var recipients = mail.to + (flaw == .losesBlindCopies ? [] : mail.blindCopies)
    if mail.to.isEmpty, mail.blindCopies.isEmpty { throw .noRecipients }
    if flaw == .sendsToTheFirst { recipients = Array(recipients.prefix(1)) }
    let refused = recipients.filter { !isAddress($0) }
    var copies = flaw == .oneCopyForEachEntry ? recipients.map { $0.lowercased() } : []
    if flaw != .oneCopyForEachEntry { copies = Set(recipients.map { $0.lowercased() }).sorted() }
    for address in copies where isAddress(address) {
      boxes.withLock { $0[address, default: []].append(received(mail)) }
    }
    if !refused.isEmpty { throw .refused(refused) }
  }

  func mailbox(_ address: String) -> [ReceivedMail] {
    let mails = boxes.withLock { $0[address.lowercased()] ?? [] }
    return flaw == .hidesMailWithoutSubject ? mails.filter { !$0.subject.isEmpty } : mails
  }

  private func isAddress(_ text: String) -> Bool {
    if flaw == .acceptsInvalidAddresses { return true }
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    return parts.count == 2 && parts.allSatisfy { !$0.isEmpty }
  }

  private func received(_ mail: Mail) -> ReceivedMail {
    var lines = mail.body.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    if flaw == .losesLeadingDots { lines = lines.map { $0.hasPrefix(".") ? $0.dropFirst() : $0 } }
    if flaw == .endsAtDot, let end = lines.firstIndex(of: ".") { lines = Array(lines[..<end]) }
    if flaw == .doublesLaterDots {
      lines = lines.prefix(1) + lines.dropFirst().map { $0.hasPrefix(".") ? "." + $0 : $0 }
    }
    let isShown = flaw == .showsBlindCopies && !mail.blindCopies.isEmpty
    return ReceivedMail(
      to: mail.to.joined(separator: ", "),
      blindCopies: isShown ? mail.blindCopies.joined(separator: ", ") : nil,
      subject: mail.subject, body: lines.joined(separator: "\n"))
  }
}

enum MailFlaw: String, ReportedFlaw {
  case showsBlindCopies  // dart-mailer issue 29
  case losesBlindCopies  // CPP-SMTPClient-library issue 63
  case losesLeadingDots  // sendemail pull request 9
  case endsAtDot  // smtp-client issue 9
  case doublesLaterDots  // FakeSMTP issue 19
  case acceptsInvalidAddresses  // nodemailer-mock-transport pull request 3
  case oneCopyForEachEntry  // boulder issue 1421
  case acceptsLinesInSubject  // onadata pull request 1668
  case sendsToTheFirst  // nodemailer-mock-transport issue 4
  case hidesMailWithoutSubject  // mailslurper issue 66

  var calls: ClosedRange<Int> {
    switch self {
    case .acceptsInvalidAddresses, .acceptsLinesInSubject, .sendsToTheFirst: 1...1
    // An invalid blind copy shows it at once, and a valid one in the mailbox; shrinking keeps the kind.
    case .losesBlindCopies: 1...2
    default: 2...2
    }
  }
}

/// The real thing: SMTP to a server of Python's standard library, which reads messages with its `email`
/// package.
final class SMTPMailer: Mailer {
  // Unchecked, and sound: an exploration calls one side from one task at a time.
  private nonisolated(unsafe) let connection: LineConnection

  init(port: UInt16) throws {
    connection = try LineConnection(port: port)
    _ = try connection.line()
    _ = try command("HELO localhost")
  }

  func send(_ mail: Mail) throws(MailError) {
    if mail.subject.unicodeScalars.contains(where: { $0 == "\r" || $0 == "\n" }) {
      throw .invalidSubject
    }
    let recipients = mail.to + mail.blindCopies
    if recipients.isEmpty { throw .noRecipients }
    _ = try command("MAIL FROM:<app@example.org>")
    var refused: [String] = []
    for address in recipients where try command("RCPT TO:<\(address)>") != 250 {
      refused.append(address)
    }
    if refused.count == recipients.count {
      _ = try command("RSET")
      throw .refused(refused)
    }
    _ = try command("DATA")
    let subject = Data(mail.subject.utf8).base64EncodedString()
    let lines =
      ["To: \(mail.to.joined(separator: ", "))", "Subject: =?utf-8?b?\(subject)?="]
      + ["Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: 8bit", ""]
      + mail.body.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .map { $0.hasPrefix(".") ? "." + $0 : String($0) } + ["."]
    if try command(lines.joined(separator: "\r\n")) != 250 { throw .broken(message: "no delivery") }
    if !refused.isEmpty { throw .refused(refused) }
  }

  func mailbox(_ address: String) throws(MailError) -> [ReceivedMail] {
    do {
      try connection.send("MAILBOX \(address)\r\n")
      return try JSONDecoder().decode([ReceivedMail].self, from: Data(connection.line().utf8))
    } catch { throw .broken(message: "\(error)") }
  }

  private func command(_ text: String) throws(MailError) -> Int {
    do {
      try connection.send(text + "\r\n")
      return Int(try connection.line().prefix(3)) ?? 0
    } catch { throw .broken(message: "\(error)") }
  }
}

extension Implementation<any Mailer> {
  static let smtp = live("smtp") { scope in
    try SMTPMailer(port: try await scope.server(sharedServer).port)
  }

  static func memory(_ flaw: MailFlaw? = nil) -> Self { fake("memory") { MemoryMailer(flaw) } }
}

private let sharedServer = SharedServer(
  "python3", arguments: { [sibling("smtp-server.py"), "\($0.port)"] },
  install: "apt-get install python3")

private func sibling(_ name: String, file: String = #filePath) -> String {
  URL(fileURLWithPath: file).deletingLastPathComponent().appending(path: name).path
}

@OperationBuilder<any Mailer> private var operations: [AnyOperation<any Mailer>] {
  let addresses = Domain.of("a@example.org", "b@example.org", "A@example.org", "a", "@", "")
  let bodies = Domain.of("a", "", ".", ".a", "a\n.\nb", "a\n.b", "a\r\nb", "é", "a\n")
  Operation(
    "send", .arrays(of: addresses), .arrays(of: addresses), .of("a", "", "é", "a\nb"), bodies
  ) { mailer, to, blindCopies, subject, body in
    try mailer.send(Mail(to: to, blindCopies: blindCopies, subject: subject, body: body))
  }
  Operation("mailbox", addresses) { try $0.mailbox($1) }
}

@Suite struct MailerDriftTests {
  @Test func theFakeBehavesLikeSMTP() async throws {
    try await exploreDrift(of: .memory(), from: .smtp, settings: .foreign) { return operations }
  }

  @Test(arguments: MailFlaw.sought)
  func reportedFlawsAreFound(_ flaw: MailFlaw) async throws {
    try await expectFinding(of: flaw, in: .memory(flaw), from: .smtp, operations)
  }
}
