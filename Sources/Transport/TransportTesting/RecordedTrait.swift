import HarnessSupport
public import Testing
public import TransportPort
public import TransportRecording

/// Gives a test a transport that replays recorded exchanges, and records them when asked.
///
/// `.recorded(_:redacting:over:)` makes one.
public struct RecordedTrait: TestTrait, SuiteTrait, TestScoping {
  let name: String?
  let redaction: Redaction
  let live: @Sendable () async throws -> any HTTPTransport
  /// Override the environment and the folder, in tests of the trait.
  var mode: RecordMode?
  var folder: String?

  /// Each test of a suite has its own recording.
  public var isRecursive: Bool { true }

  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    guard !test.isSuite else { return try await function() }
    let session: RecordingSession
    do {
      session = try await RecordingSession(self, test, testCase)
    } catch {
      Issue.record(error, sourceLocation: test.sourceLocation)
      return
    }
    try await RecordedTransport.$session.withValue(session) { try await function() }
    // If the test throws, its recording would be incomplete, so it is not saved.
    do { try session.end() } catch {
      Issue.record(error, sourceLocation: test.sourceLocation)
    }
  }
}

extension Trait where Self == RecordedTrait {
  /// Gives each test case ``RecordedTransport/current``, which replays its recording.
  ///
  /// ```swift
  /// @Test(.recorded("sign-in", over: { try CurlTransport().decodingContent() }))
  /// func signsIn() async throws {
  ///   let client = HTTPClient(transport: try RecordedTransport.current)
  ///   …
  /// }
  /// ```
  /// `CONTRACT_RECORD` selects the mode: `none`, the default, only replays; `once` records tests that
  /// have no recording yet; `all` records everything again. A case that throws is not recorded.
  ///
  /// The recording is the file `Recordings/NAME.har` beside the test's source. Each case of a
  /// parameterised test has its own file in the folder `Recordings/NAME`, named by its arguments.
  ///
  /// A test fails if it has no recording, if its recording does not answer a request, if it sends no
  /// request, or if another test uses the same file. The message has the command that records it.
  ///
  /// - Parameters:
  ///   - name: The name of the recording; by default the names of the suite and of the test. On a suite,
  ///     leave it out: then each test has its own recording.
  ///   - redaction: What to replace before a recording is written.
  ///   - live: Opens the transport to record. It is not called for a replay.
  public static func recorded(
    _ name: String? = nil, redacting redaction: Redaction = Redaction(),
    over live: @escaping @Sendable () async throws -> any HTTPTransport
  ) -> Self {
    RecordedTrait(name: name, redaction: redaction, live: live)
  }
}
