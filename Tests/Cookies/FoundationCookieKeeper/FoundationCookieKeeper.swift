import CookieFoundationAdapter
import CookiePort
import Foundation

/// An app that keeps its cookies in `HTTPCookieStorage.shared` and takes commands from tests.
///
/// Each line of standard input is a `Set-Cookie` line from `https://example.com/`, or `list`. The
/// answer is one line with every cookie as JSON.
@main
enum FoundationCookieKeeper {
  static func main() throws {
    // The usual umask of users, so that the file gets its usual mode.
    umask(0o022)
    let store = FoundationCookieStore()
    let request = try CookieRequest("https://example.com/")
    while let line = readLine() {
      if line != "list" { try store.store(line, from: request) }
      let answer = String(decoding: try JSONEncoder().encode(store.all()), as: UTF8.self)
      FileHandle.standardOutput.write(Data((answer + "\n").utf8))
    }
  }
}
