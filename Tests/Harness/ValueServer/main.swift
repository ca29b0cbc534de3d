// A server that keeps one value in the file `value` of its working directory.
//
// Usage: value-server PORT. A line `put TEXT` is answered with `ok`, and `get` with the value. Other lines
// are answered with themselves.

import Foundation
import SystemPlatform

guard CommandLine.arguments.count == 2, let port = UInt16(CommandLine.arguments[1]) else {
  print("usage: value-server PORT")
  exit(64)
}

let listener: Int32
do {
  listener = try LoopbackSocket.bound(to: port, isReusable: true).socket
} catch {
  print("value-server: \(error)")
  exit(1)
}
listen(listener, 64)
print("listening")
fflush(nil)

while true {
  let connection = acceptConnection(on: listener)
  guard connection >= 0 else { continue }
  Thread.detachNewThread {
    serve(connection)
    close(connection)
  }
}

@Sendable func serve(_ connection: Int32) {
  var input: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 65_536)
  while true {
    let count = read(connection, &buffer, buffer.count)
    guard count > 0 else { return }
    input += buffer[..<count]
    while let end = input.firstIndex(of: 0x0a) {
      let line = String(decoding: input[..<end], as: UTF8.self)
      input.removeSubrange(...end)
      let reply = Array((answer(to: line) + "\n").utf8)
      guard reply.withUnsafeBytes({ sendBytes($0, on: connection) }) == reply.count else { return }
    }
  }
}

@Sendable func answer(to line: String) -> String {
  if line.hasPrefix("put ") {
    try? line.dropFirst(4).write(toFile: "value", atomically: true, encoding: .utf8)
    return "ok"
  }
  if line == "get" { return (try? String(contentsOfFile: "value", encoding: .utf8)) ?? "" }
  return line
}
