import ScriptedOrigin
import Testing
import TransportPort

@testable import TransportCurlAdapter

/// Connections over HTTP/2 whose server violates the protocol, or says that the client did.
@Suite(.timeLimit(.minutes(1))) struct CurlHTTP2ErrorTests {
  /// Frames that break a connection.
  enum Breach: String, CaseIterable, CustomTestStringConvertible {
    case goAwayWithProtocolError, goAwayToBeCalm, goAwayWithoutError
    case dataOnConnection, invalidHPACK, notSettingsFirst, tooLargeFrame, text, noStatus
    case dataBeforeHead, resetOfIdleStream, badSettings, emptyWindowUpdate, brokenContinuation
    case headOnConnection, invalidSetting, manyContinuations

    var testDescription: String { rawValue }

    var isGoAway: Bool { rawValue.hasPrefix("goAway") }

    /// The failure of the request on stream 1.
    var kind: TransportError.Kind {
      switch self {
      case .goAwayWithoutError: .emptyReply
      case .goAwayToBeCalm: .connectionReset
      default: .protocolViolation
      }
    }

    var bytes: [UInt8] {
      let settings = frame(4)
      return switch self {
      case .goAwayWithProtocolError: settings + frame(7, [0, 0, 0, 1, 0, 0, 0, 1])
      case .goAwayToBeCalm: settings + frame(7, [0, 0, 0, 1, 0, 0, 0, 11])
      case .goAwayWithoutError: settings + frame(7, [0, 0, 0, 1, 0, 0, 0, 0])
      case .dataOnConnection: settings + frame(0, [1])
      case .invalidHPACK: settings + frame(1, 0x5, on: 1, [0xBF])
      case .notSettingsFirst: frame(0, 0x1, on: 1, [1])
      case .tooLargeFrame:
        settings + [0, 0x40, 1, 0, 1, 0, 0, 0, 1] + [UInt8](repeating: 0, count: 16_385)
      case .text: Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8)
      case .noStatus: settings + frame(1, 0x5, on: 1, [0x84])
      case .dataBeforeHead: settings + frame(0, 0x1, on: 1, [1])
      case .resetOfIdleStream: settings + frame(3, on: 9, [0, 0, 0, 2])
      case .badSettings: frame(4, [0])
      case .emptyWindowUpdate: settings + frame(8, [0, 0, 0, 0])
      case .brokenContinuation:
        settings + frame(1, on: 1, [0x88]) + frame(6, [0, 0, 0, 0, 0, 0, 0, 0])
      case .headOnConnection: settings + frame(1, 0x5, [0x88])
      // More than nghttp2 accepts for one head.
      case .manyContinuations:
        settings + frame(1, on: 1, [0x88]) + (1...100).flatMap { _ in frame(9, on: 1) }
      case .invalidSetting: settings + frame(4, [0, 5, 0, 0, 0, 1])
      }
    }

    private func frame(
      _ kind: UInt8, _ flags: UInt8 = 0, on stream: UInt8 = 0, _ payload: [UInt8] = []
    ) -> [UInt8] {
      [0, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF), kind, flags, 0, 0, 0, stream]
        + payload
    }
    private func frame(_ kind: UInt8, _ payload: [UInt8]) -> [UInt8] {
      frame(kind, 0, on: 0, payload)
    }
  }

  @Test(arguments: Breach.allCases, [true, false])
  func `a violation of HTTP/2 is reported as such, whoever ends the connection`(
    _ breach: Breach, _ closes: Bool
  ) async throws {
    // Only the server can end a connection after GOAWAY, because it may still respond.
    let last: ScriptStep = closes || breach.isGoAway ? .close : .stall
    let plan = OriginPlan(
      version: .http2,
      onConnect: { _ in [.pause(.milliseconds(20)), .send(breach.bytes), last] },
      onRequest: { _ in [.stall] })
    let world = try CurlWorld(plan, scheme: .https)
    let error = try await world.failure(.post, body: .text("x"))
    #expect(error.kind == breach.kind, "\(error)")
    #expect(error.phase == .awaitingHead)
    #expect(!error.isRetrySafe)
  }

  @Test(arguments: [OriginPlan.Version.http11, .http2])
  func `a field that is longer than libcurl accepts makes the head too large`(
    _ version: OriginPlan.Version
  ) async throws {
    let value = String(repeating: "a", count: 400_000)
    let world = try CurlWorld(
      OriginPlan(version: version) { _ in .respond(headerFields: ["X-Long": value]) },
      scheme: .https)
    var options = TransportOptions()
    options.headLimits = HTTPHeadLimits(bytes: 1 << 20)
    let error = try await world.failure(options: options)
    #expect(error.kind == .headTooLarge)
    #expect(!error.detail.contains("memory"))
    #expect(!error.isRetrySafe)
  }

  @Test(arguments: [1, 5]) func `a request that is always refused was not processed`(
    _ count: Int
  ) async throws {
    let world = try CurlWorld(
      OriginPlan(version: .http2) { _ in [.readBody, .resetStream(HTTP2Streams.refused)] },
      scheme: .https)
    let errors = (1...count).map { _ in
      Task { try await world.failure(.post, body: .text("pay")) }
    }
    for error in errors {
      let error = try await error.value
      #expect(error.kind == .connectionReset)
      #expect(error.isRetrySafe, "\(error)")
    }
  }
}
