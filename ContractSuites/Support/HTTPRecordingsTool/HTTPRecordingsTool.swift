import CommandLineSupport
import ContractEvidence

/// A command-line tool for recordings of HTTP: it asks the live side again, and searches for secrets.
///
/// `contracts verify-recording` starts `verify`; `contracts` itself knows no transport.
@main
struct HTTPRecordingsTool {
  private static let program: CommandLineProgram = .init(
    name: "http-recordings",
    version: "http-recordings \(packageVersion), HAR 1.2",
    commands: [
      .init(
        """
        verify FILE --against URL [--from URL] [--match RULE]… [--matchers FILE]
               [--method METHOD[,METHOD…]] [--seconds N] [--authorities FILE]
            Sends the requests of an archive in the format HAR 1.2 to the server at URL, compares its
            answers with the recorded ones, and names what has changed. URL is a scheme, a host and a
            port. Exits with 0 if every exchange agrees, 1 if the recording is stale, and 2 if nothing
            is known to have changed but an exchange is not verified.

            --from URL          the recorded origin that --against stands for; by default that of the
                                first exchange. Exchanges with other origins are not verified.
            --match RULE        what may vary, such as 'json $.items[*].id uuid'; see below
            --matchers FILE     a file with one such rule on each line; # begins a comment
            --method METHOD     also send requests with this method, which may change something on
                                the server. By default only GET, HEAD and OPTIONS are sent.
            --seconds N         the longest time of one exchange; by default 30. All together have
                                ten times as long.
            --authorities FILE  the only certificate authorities to trust, as PEM; by default the
                                system's

            RULE is 'field NAME WHAT', 'json PATH WHAT' or 'content WHAT'. WHAT is one of:

            ignored             anything, or nothing
            any                 a value of the same type
            date                a date in the recorded format
            uuid                a UUID
            id                  an identifier of the recorded kind
            token               text without white space
            number MIN...MAX    a number in the range; either end may be left out
            any-order           the recorded elements in any order

            A value that the recording redacted is taken from the environment: CONTRACT_SECRET_ and its
            name in upper case, such as CONTRACT_SECRET_AUTHORIZATION. Without it the exchange is not
            verified.
        """
      ) { try await VerifyCommand($0).run(printError: printError) },
      .init(
        """
        audit FILE… [--allow NAME]…
            Searches archives for secrets: values with the names or the shapes of secrets, and long
            random words. It prints their places and rules, and not the values. Exits with 0 if it finds
            none, and with 1 if it does.

            --allow NAME        a name whose values are not secret
        """
      ) { try AuditCommand($0).run(printError: printError) },
    ],
    notes: """
      Other exit codes: 64 for invalid arguments, 65 for a file that is not an archive or has an invalid
      rule, 66 for a file that can't be read, 73 if the output can't be written.

      """)

  private static func printError(_ message: String) { program.printError(message) }

  static func main() async { await program.run() }
}
