import Foundation
import Testing
import TransportPort

@testable import TransportURLSessionAdapter

@Suite(.timeLimit(.minutes(1))) struct UploadTests {
  private func made(_ upload: Upload) async -> TransportError? {
    await withCheckedContinuation { continuation in
      upload.start { continuation.resume(returning: $0) }
    }
  }

  @Test func `the content is in a file of its own until the upload is over`() async throws {
    var upload: Upload? = Upload(
      try HTTPRequestBody.stream(Chunks(["ab", "", "cd"])).makeReader())
    let file = try #require(upload?.file)
    if let upload { #expect(await made(upload) == nil) }
    #expect(try Data(contentsOf: file) == Data("abcd".utf8))
    let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    upload?.stop()
    #expect(!FileManager.default.fileExists(atPath: file.path))
    upload = nil
  }

  @Test func `the file of an upload that is dropped is removed`() async throws {
    var upload: Upload? = Upload(try HTTPRequestBody.stream(Chunks(["ab"])).makeReader())
    let file = try #require(upload?.file)
    if let upload { #expect(await made(upload) == nil) }
    #expect(FileManager.default.fileExists(atPath: file.path))
    upload = nil
    #expect(!FileManager.default.fileExists(atPath: file.path))
  }

  @Test func `a producer that gives too much or too little fails with nothing sent`()
    async throws
  {
    for length in [3, 5] {
      let reader = try HTTPRequestBody.stream(Chunks(["ab", "cd"]), length: length).makeReader()
      let error = await made(Upload(reader))
      #expect(error?.kind == .bodyLengthMismatch)
      #expect(error?.phase == .preparing)
      #expect(error?.bytesSent == false)
    }
  }

  @Test func `an upload that is stopped cancels its producer and is not heard of again`()
    async throws
  {
    let (begins, begin) = AsyncStream<Void>.makeStream()
    let (ends, end) = AsyncStream<Bool>.makeStream()
    let chunks = Chunks(["a"]) {
      begin.finish()
      try? await Task.sleep(for: .seconds(3600))
      end.yield(Task.isCancelled)
      return nil
    }
    let upload = Upload(try HTTPRequestBody.stream(chunks).makeReader())
    upload.start { _ in Issue.record("a stopped upload was heard of") }
    for await _ in begins {}
    upload.stop()
    for await isCancelled in ends {
      #expect(isCancelled)
      break
    }
    #expect(!FileManager.default.fileExists(atPath: upload.file.path))
  }
}
