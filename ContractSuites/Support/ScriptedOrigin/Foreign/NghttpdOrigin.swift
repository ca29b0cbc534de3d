import Foundation
import SystemLocks
import SystemPlatform
import SystemProcesses
import SystemThreads
import TransportPort

/// A running nghttpd, the HTTP/2 server of the nghttp2 project, with a log built from its output.
///
/// It returns the content of each upload, followed by the trailer field `X-End: yes`. Its output
/// contains no content, so the log has the size of each body but not its bytes.
package final class NghttpdOrigin: Sendable {
  /// The requests and events at the server.
  package let log = OriginLog()

  /// The port on 127.0.0.1.
  package let port: Int

  /// The scheme, host and port; append a path.
  package var url: String { "https://127.0.0.1:\(port)" }

  private let process: ProcessGroup
  private let reader: SystemThread
  private let isClosed = Mutex(false)

  /// Starts the server with a certificate of the trusted authority, and waits until it listens.
  ///
  /// - Parameter folder: An empty folder, for the certificate and as the root of the served files.
  /// - Throws: `ForeignServer.Failure` if nghttpd is not installed or does not listen after five
  ///   attempts; file system errors.
  package init(folder: URL) throws {
    let program = try ForeignServer.Program.nghttpd.installedPath()
    try ForeignServer.writeIdentity(to: folder)
    // nghttpd does not report a port that the system chose. Another process can take the free port
    // that is found here before nghttpd binds it, so try more than once.
    var failure = ForeignServer.Failure(description: "nghttpd was not started")
    for _ in 1...5 {
      let port = try LoopbackSocket.freePort()
      let output = Pipe()
      let process = try ProcessGroup(
        [
          // Newer versions leave the first line in the buffer of a pipe.
          "stdbuf", "-oL", program, "-v", "-a", "127.0.0.1", "-d", folder.path, "--echo-upload",
          "--trailer", "x-end: yes", "\(port)", "key.pem", "certificate.pem",
        ], in: folder.path, removing: folder.path,
        environment: ProcessInfo.processInfo.environment,
        output: output.fileHandleForWriting.fileDescriptor)
      // Otherwise the output would not end with the server.
      try output.fileHandleForWriting.close()
      let lines = LineReader(output.fileHandleForReading)
      let first = lines.hasInput(within: .seconds(10)) ? lines.next() ?? "" : "none in 10 s"
      guard first.contains(": listen ") else {
        process.end()
        failure = ForeignServer.Failure(
          description:
            "nghttpd does not listen on port \(port); its first output line is '\(first)'")
        continue
      }
      self.port = Int(port)
      self.process = process
      let log = log
      reader = try SystemThread {
        var parser = NghttpdOutputParser(log)
        while let line = lines.next() { parser.consume(line) }
      }
      return
    }
    throw failure
  }

  deinit {
    close()
  }

  /// Ends the server and joins the thread that reads its output. Calling it again has no effect.
  package func close() {
    let wasClosed = isClosed.withLock { isClosed in
      defer { isClosed = true }
      return isClosed
    }
    guard !wasClosed else { return }
    process.end()
    reader.join()
  }
}

/// Reads the lines of a pipe with `getline`; blocks until a line is complete.
///
/// Unchecked: one thread reads the first line and then hands the reader over to another.
private final class LineReader: @unchecked Sendable {
  private let file: UnsafeMutablePointer<FILE>?
  private var line: UnsafeMutablePointer<CChar>?
  private var capacity = 0

  init(_ handle: FileHandle) {
    // `fclose` closes the descriptor, and so does the handle, so the file gets a duplicate.
    file = fdopen(dup(handle.fileDescriptor), "r")
  }

  deinit {
    free(line)
    if let file { fclose(file) }
  }

  /// Whether there is input, or its end, before the limit.
  func hasInput(within limit: Duration) -> Bool {
    guard let file else { return true }
    var input = pollfd(fd: fileno(file), events: Int16(POLLIN), revents: 0)
    return poll(&input, 1, Int32(limit / .milliseconds(1))) != 0
  }

  /// The next line without its line break; `nil` at the end.
  func next() -> String? {
    guard let file, getline(&line, &capacity, file) > 0, let line else { return nil }
    return String(String(cString: line).prefix { !$0.isNewline })
  }
}

/// Translates the verbose output of nghttpd into log entries.
///
/// A line is a field, `[id=1] [  0.691] recv (stream_id=3) name: value`, or the frame after its
/// fields, `[id=1] [  0.691] recv DATA frame <length=5, flags=0x01, stream_id=3>`.
struct NghttpdOutputParser {
  private struct Stream: Hashable {
    var connection: Int
    var id: Int
  }

  private let log: OriginLog
  private var connections = 0
  private var ordinals: [Int: Int] = [:]
  private var fields: [Stream: HTTPFields] = [:]
  /// The index of each request in the log.
  private var requests: [Stream: Int] = [:]

  init(_ log: OriginLog) {
    self.log = log
  }

  /// Records what the next line reports.
  mutating func consume(_ line: String) {
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
      HTTP2Field(name: Array($0.name.rawName.utf8), value: $0.bytes)
    }
    let head = OriginRequest(
      block, connection: stream.connection, ordinal: ordinals[stream.connection] ?? 1)
    guard let head else { return }
    requests[stream] = log.record(OriginLog.Request(http2: head))
  }

  /// Records the end of a request if the frame has END_STREAM.
  private mutating func end(_ stream: Stream, _ frame: String) {
    guard let index = requests[stream], let flags = frame.split(separator: "flags=0x").last,
      let value = UInt8(flags.prefix(2), radix: 16), value & HTTP2Frame.endsStream != 0
    else { return }
    log.record(trailers: fields.removeValue(forKey: stream) ?? [:], ofRequest: index)
  }

  private func number(after mark: String, in line: String) -> Int? {
    guard let range = line.firstRange(of: mark) else { return nil }
    return Int(line[range.upperBound...].prefix { $0.isNumber })
  }
}
