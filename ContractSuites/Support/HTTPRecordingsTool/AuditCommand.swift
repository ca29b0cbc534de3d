import CommandLineSupport
import TransportRecording

/// `http-recordings audit`: names the secrets in archives.
struct AuditCommand {
  private let files: [String]
  private let redaction: Redaction

  init(_ arguments: [String]) throws(UsageError) {
    let arguments = try Arguments(arguments, options: ["allow"])
    guard !arguments.operands.isEmpty else {
      throw UsageError("'http-recordings audit' needs an archive: audit FILE…")
    }
    files = arguments.operands
    redaction = Redaction(allowedNames: Set(arguments.list("allow")))
  }

  func run(printError: (String) -> Void) throws -> Int32 {
    var count = 0
    for file in files {
      let findings: [SecretFinding]
      do throws(HTTPArchiveError) {
        findings = try HTTPArchive.audit(contentsOf: file, redacting: redaction)
      } catch {
        printError("\(file): \(error)")
        if case .unreadable = error { return 66 }
        return 65
      }
      count += findings.count
      try Output.print(findings.map { "\(file): \($0)".printable.inert + "\n" }.joined())
    }
    try Output.print("\(count) secrets or suspected secrets in \(files.count) archives\n")
    return count == 0 ? 0 : 1
  }
}
