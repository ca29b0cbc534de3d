import Foundation
import TransportBaseline
import TransportCurlAdapter
import TransportPort
import TransportURLSessionAdapter

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// An HTTP client that gets a URL `count` times, `width` requests at a time.
struct Contender: Sendable {
  var name: String
  /// Divides the number of requests, so slow clients take a similar time.
  var divisor = 1
  var run: @Sendable (_ url: String, _ count: Int, _ width: Int) async throws -> Measurement

  struct Failed: Error {}

  /// - Parameter authorities: The file of the certificates to trust.
  static func baseline(_ authorities: String) -> Contender {
    Contender(name: "C, libcurl easy / multi poll") { url, count, width in
      try await Measurement.of(requests: count) {
        let bytes =
          width == 1
          ? baseline_sequential(url, authorities, count)
          : baseline_concurrent(url, authorities, count, Int32(width))
        guard bytes > 0 else { throw Failed() }
        return bytes
      }
    }
  }

  /// A transport, with the body read chunk by chunk.
  static func transport(
    _ name: String, _ transport: some HTTPTransport, divisor: Int = 1
  ) -> Contender {
    Contender(name: name, divisor: divisor) { url, count, width in
      let request = HTTPRequest(url: url)
      return try await distributed(count, width) { count in
        var bytes = 0
        for _ in 0..<count {
          for try await chunk in try await transport.send(request).body { bytes += chunk.count }
        }
        return bytes
      }
    }
  }

  /// A `CurlTransport` whose callers run on the transport's thread.
  static func curlTransportOnItsThread(_ transport: CurlTransport) -> Contender {
    let other = Self.transport("CurlTransport", transport)
    return Contender(name: "CurlTransport, on its executor") { url, count, width in
      try await withTaskExecutorPreference(transport.executor) {
        try await other.run(url, count, width)
      }
    }
  }

  static func urlSession() -> Contender {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpMaximumConnectionsPerHost = 64
    configuration.urlCache = nil
    let session = URLSession(configuration: configuration)
    return Contender(name: "URLSession data(from:)", divisor: 10) { url, count, width in
      guard let url = URL(string: url) else { throw Failed() }
      return try await distributed(count, width) { count in
        var bytes = 0
        for _ in 0..<count { bytes += try await session.data(from: url).0.count }
        return bytes
      }
    }
  }

  /// A Python script that prints wall-clock seconds, processor seconds and bytes.
  static func python(_ interpreter: String, _ script: String, divisor: Int) -> Contender {
    let path = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Peers")
    let name = String(script.prefix { $0 != "." })
    return Contender(name: name, divisor: divisor) { url, count, width in
      let process = Process()
      let output = Pipe()
      process.executableURL = URL(filePath: interpreter)
      process.arguments = [path.appending(path: script).path, url, "\(count)", "\(width)"]
      process.standardOutput = output
      try process.run()
      let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      let numbers = text.split(separator: " ").compactMap { Double($0.trimming()) }
      guard numbers.count == 3 else { throw Failed() }
      return Measurement(
        requests: count, bytes: Int(numbers[2]), seconds: numbers[0], cpuSeconds: numbers[1])
    }
  }

  /// Distributes requests among `width` tasks.
  ///
  /// - Parameter get: Sends a number of requests sequentially, and returns the bytes received.
  private static func distributed(
    _ count: Int, _ width: Int, _ get: @escaping @Sendable (_ count: Int) async throws -> Int
  ) async throws -> Measurement {
    try await Measurement.of(requests: count) {
      try await withThrowingTaskGroup { group in
        for index in 0..<width {
          group.addTask { try await get((count - index + width - 1) / width) }
        }
        return try await group.reduce(0, +)
      }
    }
  }
}

extension Substring {
  fileprivate func trimming() -> Substring { self.filter { !$0.isWhitespace }[...] }
}
