import CPlatform
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct OutputTests {
  @Test func `output is flushed although another thread waits for input in getline`() throws {
    let pipe = Pipe()
    let file = try #require(fdopen(dup(pipe.fileHandleForReading.fileDescriptor), "r"))
    Thread.detachNewThread { [file = UInt(bitPattern: file)] in
      let file = UnsafeMutablePointer<FILE>(bitPattern: file)!
      var line: UnsafeMutablePointer<CChar>?
      var capacity = 0
      getline(&line, &capacity, file)
      free(line)
      fclose(file)
    }
    // The thread holds the lock of its stream from now on.
    while ftrylockfile(file) == 0 {
      funlockfile(file)
      sched_yield()
    }
    platform_flush_output()
    try pipe.fileHandleForWriting.write(contentsOf: Data("end\n".utf8))
  }
}
