import Foundation
import TransportCurlAdapter
import TransportPort
import TransportURLSessionAdapter

/// Compares HTTP clients on one server. Each figure is that of a client's best round.
///
/// Usage: TransportBenchmark [rounds] [all|transport]
///        TransportBenchmark profile URL c|transport|executor count width   (SSL_CERT_FILE: what to trust)
@main
enum TransportBenchmark {
  static func main() async throws {
    let arguments = CommandLine.arguments
    if arguments.count == 6, arguments[1] == "profile" { return try await profile(arguments) }
    let rounds = arguments.count > 1 ? Int(arguments[1]) ?? 3 : 3
    guard let server = try LocalServer() else {
      print("nginx not found; install nginx to run this benchmark")
      return
    }
    var configuration = CurlTransport.Configuration()
    configuration.authorities = .pem(
      try String(contentsOfFile: server.certificate, encoding: .utf8))
    let transport = try CurlTransport(configuration)
    var contenders = [
      Contender.baseline(server.certificate), .transport("CurlTransport", transport),
      .curlTransportOnItsThread(transport),
    ]
    if arguments.count < 3 || arguments[2] == "all" {
      contenders.append(.urlSession())
      contenders.append(.transport("URLSessionTransport", URLSessionTransport(), divisor: 10))
      let python = URL(filePath: #filePath).appending(path: "../../../.build/peers/bin/python")
        .standardized.path
      if FileManager.default.isExecutableFile(atPath: python) {
        contenders.append(.python(python, "pycurl_peer.py", divisor: 1))
        contenders.append(.python(python, "aiohttp_peer.py", divisor: 4))
      }
    }
    let small = server.url + "/1k"
    let sequential = try await table(
      "sequential, 1 KiB", contenders, rounds, url: small, count: 20_000, width: 1)
    let wide = try await table(
      "64 concurrent, 1 KiB", contenders, rounds, url: small, count: 100_000, width: 64)
    let wider = try await table(
      "1,000 concurrent, 1 KiB, CurlTransport over 64 connections", Array(contenders[1...2]),
      rounds,
      url: small, count: 100_000, width: 1000)
    let large = try await table(
      "download, 256 MiB", contenders.filter { $0.divisor == 1 }, rounds,
      url: server.url + "/256m", count: 4, width: 1)
    let multiplexed = try await table(
      "64 concurrent over HTTP/2, 1 KiB", Array(contenders[...2]), rounds,
      url: server.secureURL + "/1k", count: 50_000, width: 64)
    let multiplexedLarge = try await table(
      "download over HTTP/2, 256 MiB", Array(contenders[...2]), rounds,
      url: server.secureURL + "/256m", count: 4, width: 1)
    print("| ratio | goal | measured | on its executor |\n|---|---|---|---|")
    let goals: [(String, Double, (Int) -> Double)] = [
      (
        "sequential, requests/s of C, at least", 1,
        { ratio(sequential, $0, \.requestsPerSecond) }
      ),
      ("64 concurrent, requests/s of C, at least", 0.9, { ratio(wide, $0, \.requestsPerSecond) }),
      ("64 concurrent, CPU of C, at most", 1.25, { ratio(wide, $0, \.cpuMicroseconds) }),
      (
        "1,000 concurrent, requests/s of 64, at least", 0.8,
        { wider[$0 - 1].requestsPerSecond / wide[$0].requestsPerSecond }
      ),
      ("download, MB/s of C, at least", 0.9, { ratio(large, $0, \.megabytesPerSecond) }),
      (
        "64 concurrent over HTTP/2, requests/s of C, at least", 0.5,
        { ratio(multiplexed, $0, \.requestsPerSecond) }
      ),
      (
        "download over HTTP/2, MB/s of C, at least", 0.9,
        { ratio(multiplexedLarge, $0, \.megabytesPerSecond) }
      ),
    ]
    for (name, goal, measured) in goals {
      print("| \(name) | \(goal) | \(measured(1).formatted(2)) | \(measured(2).formatted(2)) |")
    }
    await transport.shutDown()
  }

  /// Runs one contender on a server that is already running, for a profiler.
  private static func profile(_ arguments: [String]) async throws {
    let environment = ProcessInfo.processInfo.environment
    let authorities = environment["SSL_CERT_FILE"] ?? "/etc/ssl/certs/ca-certificates.crt"
    var configuration = CurlTransport.Configuration()
    configuration.authorities = .pem(try String(contentsOfFile: authorities, encoding: .utf8))
    let transport = try CurlTransport(configuration)
    let contender =
      switch arguments[3] {
      case "c": Contender.baseline(authorities)
      case "executor": Contender.curlTransportOnItsThread(transport)
      default: Contender.transport("CurlTransport", transport)
      }
    let row = try await contender.run(
      arguments[2], Int(arguments[4]) ?? 10_000, Int(arguments[5]) ?? 1)
    print("\(row.requestsPerSecond.formatted(0)) \(row.cpuMicroseconds.formatted(1))")
  }

  /// Measures the contenders in turn in each round and returns the best round of each.
  private static func table(
    _ title: String, _ contenders: [Contender], _ rounds: Int, url: String, count: Int, width: Int
  ) async throws -> [Measurement] {
    var best: [Measurement?] = contenders.map { _ in nil }
    for _ in 0..<rounds {
      for (index, contender) in contenders.enumerated() {
        let count = max(width, count / contender.divisor)
        let measurement = try await contender.run(url, count, width)
        if measurement.requestsPerSecond > best[index]?.requestsPerSecond ?? 0 {
          best[index] = measurement
        }
      }
    }
    print("| \(title) | requests/s | of C | CPU µs/request | MB/s |\n|---|---|---|---|---|")
    let all = best.compactMap { $0 }
    for (contender, row) in zip(contenders, all) {
      let ratio = row.requestsPerSecond / all[0].requestsPerSecond
      print(
        "| \(contender.name) | \(row.requestsPerSecond.formatted(0)) | \(ratio.formatted(2)) "
          + "| \(row.cpuMicroseconds.formatted(1)) | \(row.megabytesPerSecond.formatted(0)) |")
    }
    print("")
    return all
  }

  private static func ratio(
    _ rows: [Measurement], _ row: Int, _ figure: KeyPath<Measurement, Double>
  ) -> Double {
    rows[row][keyPath: figure] / rows[0][keyPath: figure]
  }
}

extension Double {
  fileprivate func formatted(_ digits: Int) -> String {
    String(format: "%.\(digits)f", self)
  }
}
