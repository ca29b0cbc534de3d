import Foundation
import Testing
import TransportPort

@testable import TransportURLSessionAdapter

@Suite(.timeLimit(.minutes(1))) struct UploadTests {
  private func result(of upload: Upload) async -> TransportError? {
    await withCheckedContinuation { continuation in
      upload.start { continuation.resume(returning: $0) }
    }
  }

  @Test func `the content is in a private file until the upload ends`() async throws {
    var upload: Upload? = Upload(
      try HTTPRequestBody.stream(Chunks(["ab", "", "cd"])).makeReader())
    let file = try #require(upload?.file)
    if let upload { #expect(await result(of: upload) == nil) }
    #expect(try Data(contentsOf: file) == Data("abcd".utf8))
    let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    upload?.stop()
    #expect(!FileManager.default.fileExists(atPath: file.path))
    upload = nil
  }

  @Test func `releasing an upload removes its file`() async throws {
    var upload: Upload? = Upload(try HTTPRequestBody.stream(Chunks(["ab"])).makeReader())
    let file = try #require(upload?.file)
    if let upload { #expect(await result(of: upload) == nil) }
    #expect(FileManager.default.fileExists(atPath: file.path))
    upload = nil
    #expect(!FileManager.default.fileExists(atPath: file.path))
  }

  @Test func `a producer with the wrong length fails with nothing sent`()
    async throws
  {
    for length in [3, 5] {
      let reader = try HTTPRequestBody.stream(Chunks(["ab", "cd"]), length: length).makeReader()
      let error = await result(of: Upload(reader))
      #expect(error?.kind == .bodyLengthMismatch)
      #expect(error?.phase == .preparing)
      #expect(error?.bytesSent == false)
    }
  }

  @Test func `stopping an upload cancels its producer and reports nothing`()
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
    upload.start { _ in Issue.record("a stopped upload called its completion handler") }
    for await _ in begins {}
    upload.stop()
    for await isCancelled in ends {
      #expect(isCancelled)
      break
    }
    #expect(!FileManager.default.fileExists(atPath: upload.file.path))
  }
}
