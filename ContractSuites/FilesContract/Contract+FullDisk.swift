public import ContractTesting
public import FilesPort
import Testing

extension Contract<any Files> {
  /// The behaviour of files on a disk that has room for some 64 KiB.
  public static let filesOnFullDisk: Self = Contract(
    "files-on-full-disk", "Files on a full disk", leavesOthersToMutants: true
  ) {
    Clause(
      "no-space", "a write that does not fit is an error, and creates nothing",
      from: "write(), ENOSPC"
    ) { files in
      for mode in WriteMode.allCases {
        expectError(.noSpace, at: "file") { try files.write(tooMuch, to: "file", mode) }
        if mode != .replacing { #expect(try files.list(".") == [], "\(mode)") }
        if try files.kind("file") != nil { try files.remove("file") }
      }
      try await files.writeWhenFreed(Array("small".utf8), to: "file")
      #expect(try files.text("file") == "small")
    }
    Clause(
      "no-space-keeps", "an atomic write or an append that does not fit keeps the old content",
      from: "this project"
    ) { files in
      try files.put("old", "file")
      for mode in [WriteMode.atomically, .appending] {
        expectError(.noSpace, at: "file") { try files.write(tooMuch, to: "file", mode) }
        #expect(try files.text("file") == "old", "\(mode)")
      }
      #expect(try files.list(".") == ["file"])
    }
    Clause("no-space-copy", "a copy that does not fit leaves nothing", from: "this project") {
      files in
      try files.makeDirectory("tree")
      try files.put("small", "tree/a")
      try files.write(Array(repeating: 1, count: 40_000), to: "tree/b", .replacing)
      expectError(.noSpace, at: "copy") { try files.copy("tree", to: "copy") }
      expectError(.noSpace, at: "copy") { try files.copy("tree/b", to: "copy") }
      #expect(try files.list(".") == ["tree"])
      #expect(try files.list("tree") == ["a", "b"])
    }
    Clause("space-returns", "what is removed or replaced makes room", from: "unlink(), open()") {
      files in
      let most = [UInt8](repeating: 1, count: 40_000)
      for _ in 1...3 {
        try await files.writeWhenFreed(most, to: "file")
        try files.remove("file")
        try await files.writeWhenFreed(most, to: "file")
        try files.write([], to: "file", .replacing)
        try files.makeDirectory("tree")
        try await files.writeWhenFreed(most, to: "tree/file", .creating)
        try files.removeTree("tree")
        try await files.writeWhenFreed(most, to: "other")
        try files.move("file", to: "other")
      }
      #expect(try files.list(".") == ["other"])
    }
  } saboteurs: {
    Saboteur(
      "endless", "has room for everything", caughtBy: "no-space", "no-space-keeps", "no-space-copy"
    ) { InMemoryFiles() }
  }
}

private let tooMuch = [UInt8](repeating: 1, count: 100_000)

extension Files {
  /// Writes, and tries again for a second while the room of a removed file has not returned.
  ///
  /// A process that another thread starts has a copy of every descriptor until it calls exec, and the system keeps a
  /// removed file as long as a descriptor of it is open. No event tells the end of that.
  ///
  /// Source: fork(2), unlink(2).
  fileprivate func writeWhenFreed(
    _ bytes: [UInt8], to path: String, _ mode: WriteMode = .replacing
  ) async throws {
    for _ in 1..<200 {
      if (try? write(bytes, to: path, mode)) != nil { return }
      try await Task.sleep(for: .milliseconds(5))
    }
    try write(bytes, to: path, mode)
  }
}
