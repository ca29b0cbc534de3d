import Foundation
import SystemLocks
import SystemThreads
import TransportPort

/// nghttpd, a server of HTTP/2 that isn't ours, with its own account of what it saw as the log.
///
/// It sends back what is uploaded, followed by the trailer field `X-End: yes`. The content of what
/// it got is counted and not kept.
package final class NghttpdOrigin: Sendable {
  /// It could not be started.
  package struct Failure: Error, CustomStringConvertible {
    package var description: String

    package init(description: String) {
      self.description = description
    }
  }

  /// What the server saw.
  package let log = OriginLog()

  /// The port on 127.0.0.1.
  package let port: Int

  /// Scheme, host and port; a path can follow.
  package var url: String { "https://127.0.0.1:\(port)" }

  /// What the server lives as long as.
  private let life: Pipe
  private let reader: SystemThread
  private let isClosed = Mutex(false)

  /// Starts the server with a certificate of the trusted authority, and waits until it listens.
  ///
  /// - Parameters:
  ///   - program: The path of nghttpd.
  ///   - folder: An empty folder of its own: for its certificate, and to serve files from.
  package init(program: String, folder: URL) throws {
    let identity = try OriginTLS.trusted.get().issue(OriginTLS.localhost)
    let (key, certificate) = (
      folder.appendingPathComponent("key.pem"), folder.appendingPathComponent("certificate.pem")
    )
    try Data(identity.keyPEM.utf8).write(to: key)
    try Data(identity.certificatePEM.utf8).write(to: certificate)
    // nghttpd doesn't tell the port that the system gives it, and a free one may be gone.
    var failure = Failure(description: "nghttpd was not started")
    for _ in 1...5 {
      let (socket, port) = try LoopbackSocket.bound()
      SystemCalls.close(socket)
      let process = Process()
      // The shell ends the server when its input ends, however this process may end. The server may
      // have inherited that it hears no signal but one.
      process.executableURL = URL(fileURLWithPath: "/bin/sh")
      process.arguments = [
        "-c", "\"$@\" </dev/null & read -r _; kill -9 $!", "sh", program, "-v", "-a", "127.0.0.1",
        "-d", folder.path, "--echo-upload", "--trailer", "x-end: yes",
        "\(port)", key.path, certificate.path,
      ]
      let (life, output) = (Pipe(), Pipe())
      process.standardInput = life
      process.standardOutput = output
      process.standardError = output
      try process.run()
      var lines = LineReader(output.fileHandleForReading)
      let first = lines.next() ?? "nothing"
      guard first.contains(": listen ") else {
        try life.fileHandleForWriting.close()
        failure = Failure(description: "nghttpd can't listen on port \(port), it said: \(first)")
        continue
      }
      self.port = Int(port)
      self.life = life
      let rest = Mutex(lines)
      let log = log
      reader = try SystemThread {
        var account = NghttpdAccount(log)
        rest.withLock { lines in while let line = lines.next() { account.take(line) } }
      }
      return
    }
    throw failure
  }

  deinit {
    close()
  }

  /// The path of nghttpd, where it is installed.
  package static var installed: String? {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return path.split(separator: ":").map { "\($0)/nghttpd" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// Ends the server; harmless when repeated.
  package func close() {
    let wasClosed = isClosed.withLock { isClosed in
      defer { isClosed = true }
      return isClosed
    }
    guard !wasClosed else { return }
    try? life.fileHandleForWriting.close()
    reader.join()
  }
}

/// Reads lines of text as they come; it blocks.
private struct LineReader: @unchecked Sendable {
  // Sendable, since it is handed over as a whole and used by one thread at a time.
  private let file: FileHandle
  private var buffer: [UInt8] = []

  init(_ file: FileHandle) {
    self.file = file
  }

  /// The next line, without its end; `nil` at the end.
  mutating func next() -> String? {
    while true {
      if let end = buffer.firstIndex(of: 0x0A) {
        defer { buffer.removeSubrange(...end) }
        return String(decoding: buffer[..<end], as: UTF8.self)
      }
      let data = file.availableData
      guard !data.isEmpty else { return nil }
      buffer += data
    }
  }
}

/// Makes a log of what nghttpd tells.
///
/// Its lines are `[id=1] [  0.691] recv (stream_id=3) name: value`, one for each field and before the
/// line of their frame, and `[id=1] [  0.691] recv DATA frame <length=5, flags=0x01, stream_id=3>`.
struct NghttpdAccount {
  private struct Stream: Hashable {
    var connection: Int
    var id: Int
  }

  private let log: OriginLog
  private var connections = 0
  private var ordinals: [Int: Int] = [:]
  private var fields: [Stream: HTTPFields] = [:]
  /// The place of each request in the log.
  private var requests: [Stream: Int] = [:]

  init(_ log: OriginLog) {
    self.log = log
  }

  /// Takes the next line.
  mutating func take(_ line: String) {
    guard line.hasPrefix("[id="), let connection = number(after: "[id=", in: line) else { return }
    if connection > connections {
      connections = connection
      log.record(.accepted, on: connection)
    }
    let rest = line.split(separator: "] ", maxSplits: 2).last.map(String.init) ?? ""
    if rest == "closed" { return log.record(.closedByPeer, on: connection) }
    guard rest.hasPrefix("recv "), let id = number(after: "stream_id=", in: rest) else { return }
    let stream = Stream(connection: connection, id: id)
    if rest.hasPrefix("recv (") {
      let field = rest.split(separator: ") ", maxSplits: 1).last?.split(
        separator: ": ", maxSplits: 1)
      guard let name = field?.first else { return }
      let value = field?.dropFirst().first ?? ""
      fields[stream, default: [:]].append(
        HTTPField(name: .init(String(name)), value: String(value)))
    } else if rest.hasPrefix("recv HEADERS ") {
      if requests[stream] == nil { begin(stream) }
      end(stream, rest)
    } else if rest.hasPrefix("recv DATA "), let index = requests[stream] {
      log.record(bodyCount: number(after: "length=", in: rest) ?? 0, ofRequest: index)
      end(stream, rest)
    } else if rest.hasPrefix("recv RST_STREAM ") {
      log.record(.streamReset, on: connection)
    }
  }

  private mutating func begin(_ stream: Stream) {
    ordinals[stream.connection, default: 0] += 1
    let block = (fields.removeValue(forKey: stream) ?? [:]).map {
      HPACKDecoder.Field(name: Array($0.name.rawName.utf8), value: $0.bytes)
    }
    let head = OriginRequest(
      block, connection: stream.connection, ordinal: ordinals[stream.connection] ?? 1)
    guard let head else { return }
    requests[stream] = log.record(OriginLog.Request(http2: head))
  }

  /// Notes the end of a request, where a frame is its last.
  private mutating func end(_ stream: Stream, _ frame: String) {
    guard let index = requests[stream], let flags = frame.split(separator: "flags=0x").last,
      let value = UInt8(flags.prefix(2), radix: 16), value & HTTP2Frame.endsStream != 0
    else { return }
    log.record(trailers: fields.removeValue(forKey: stream) ?? [:], ofRequest: index)
  }

  private func number(after mark: String, in line: String) -> Int? {
    guard let place = line.firstRange(of: mark) else { return nil }
    return Int(line[place.upperBound...].prefix { $0.isNumber })
  }
}
