import CommandLineSupport
import Foundation

/// `contracts verify-recording`: becomes the tool `http-recordings`, which is built beside this one.
///
/// That tool links libcurl; this one knows no transport and links nothing.
struct VerifyRecordingCommand {
  private let arguments: [String]

  init(_ arguments: [String]) { self.arguments = arguments }

  /// Returns only if there is no such tool.
  func run() -> Int32 {
    let tool = "http-recordings"
    let folder = Bundle.main.executableURL?.resolvingSymlinksInPath().deletingLastPathComponent()
    let path = folder?.appendingPathComponent(tool).path ?? tool
    var copies = ([path, "verify"] + arguments).map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    copies.append(nil)
    execv(path, copies)
    let reason = String(cString: strerror(errno))
    Contracts.program.printError(
      "'verify-recording' cannot start \(path): \(reason); run 'swift run \(tool) verify …', which "
        + "builds it")
    // EX_UNAVAILABLE, sysexits(3).
    return 69
  }
}
