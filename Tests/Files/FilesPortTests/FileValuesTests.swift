import FilesPort
import Testing

@Suite struct FileValuesTests {
  @Test func `permissions have nine bits and three digits`() {
    #expect(Permissions(mode: 0o7755) == 0o755)
    #expect(Permissions(mode: 0o100644).mode == 0o644)
    #expect("\(0o007 as Permissions)" == "007")
    #expect("\(0o640 as Permissions)" == "640")
    #expect(Permissions(mode: 1) == 0o001)
  }

  @Test func `nanoseconds stay in their second`() {
    #expect(FileTime(seconds: 1).nanoseconds == 0)
    #expect(FileTime(seconds: 1, nanoseconds: -1).nanoseconds == 0)
    #expect(FileTime(seconds: 1, nanoseconds: 1).nanoseconds == 1)
    #expect(FileTime(seconds: 1, nanoseconds: 999_999_999).nanoseconds == 999_999_999)
    #expect(FileTime(seconds: 1, nanoseconds: .max).nanoseconds == 999_999_999)
  }

  @Test func `times are ordered`() {
    let times = [
      FileTime(seconds: -1, nanoseconds: 5), FileTime(seconds: 0),
      FileTime(seconds: 0, nanoseconds: 1),
      FileTime(seconds: 1), FileTime(seconds: 1, nanoseconds: 7),
    ]
    for (index, time) in times.enumerated() {
      for (other, otherTime) in times.enumerated() {
        #expect((time < otherTime) == (index < other))
      }
    }
    #expect(FileTime.now > FileTime(seconds: 1_750_000_000))
  }

  @Test func `an error says what is wrong with which path`() {
    let sentences: [(FilesError.Reason, String)] = [
      (.notFound, "does not exist"), (.exists, "exists already"),
      (.notDirectory, "is no directory,"),
      (.isDirectory, "is a directory, and no file"), (.notEmpty, "is not empty"),
      (.notLink, "is no link"),
      (.tooManyLinks, "too many links"), (.intoItself, "that the call moves or copies"),
      (.notPermitted, "is not permitted"), (.readOnly, "read-only"), (.noSpace, "no space"),
      (.nameTooLong, "more than 4,095 bytes"), (.invalidPath, "contains a NUL"),
      (.outsideRoot, "leads out of the root"), (.invalidName, "not UTF-8"),
      (.notSupported, "neither a file"), (.system(code: 5), "error 5"),
    ]
    for (reason, sentence) in sentences {
      let text = FilesError(reason, at: "a/b").description
      #expect(text.hasPrefix("'a/b' "))
      #expect(text.contains(sentence))
      #expect(sentences.count { text.contains($0.1) } <= 2, "\(text)")
    }
  }
}
