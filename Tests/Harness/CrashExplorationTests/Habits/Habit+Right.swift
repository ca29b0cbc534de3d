import Foundation

extension Habit {
  /// Loads one JSON file.
  @Sendable static func loadJSON(_ disk: Disk) throws -> Notes {
    try Format.notes(disk.read("notes"))
  }

  /// Loads a log of whole states, and cuts off what a crash left at its end.
  @Sendable static func loadLog(_ disk: Disk) throws -> Notes {
    try loadRecords(disk).last.map { try Format.notes($0) } ?? [:]
  }

  /// Loads a log of changes, and cuts off what a crash left at its end.
  @Sendable static func loadChanges(_ disk: Disk) throws -> Notes {
    try Format.notes(after: loadRecords(disk))
  }

  /// Loads a log's records, and cuts off what a crash left at its end.
  static func loadRecords(_ disk: Disk, checks: Bool = true) throws -> [[UInt8]] {
    let log = disk.read("log") ?? []
    let (records, end) = Format.records(log, checks: checks)
    try disk.with("log") { file in
      if end < log.count { try Disk.check(ftruncate(file, off_t(end))) }
      try Disk.check(fsync(file))
    }
    try disk.synchronize()
    return records
  }

  /// What the others are compared with.
  static let replacing = Habit(
    "new file, fsync, rename, fsync of the folder", .right, load: loadJSON
  ) { disk, _, new in
    try replace(with: new, on: disk)
  }

  /// Replaces the file of notes as one should.
  @Sendable static func replace(with notes: Notes, on disk: Disk) throws {
    try disk.write(Format.json(notes), to: "notes.new")
    try disk.rename("notes.new", to: "notes")
    try disk.synchronize()
  }

  static let right: [Habit] = [
    replacing,
    Habit("a temporary file by its template", .right, load: loadJSON) { disk, _, new in
      var template = Array(disk.path("notes.XXXXXX").utf8CString)
      let file = mkstemp(&template)
      try Disk.check(file)
      defer { close(file) }
      let bytes = Format.json(new)
      guard write(file, bytes, bytes.count) == bytes.count, fchmod(file, 0o644) == 0,
        fsync(file) == 0
      else { throw StoreError(code: errno) }
      let name = template.dropLast().map { UInt8(bitPattern: $0) }
      try Disk.check(rename(String(decoding: name, as: UTF8.self), disk.path("notes")))
      try disk.synchronize()
    },
    Habit("Foundation's file handle", .right, load: loadJSON) { disk, _, new in
      let url = URL(fileURLWithPath: disk.path("notes-" + UUID().uuidString))
      _ = FileManager.default.createFile(atPath: url.path, contents: nil)
      let handle = try FileHandle(forWritingTo: url)
      try handle.write(contentsOf: Data(Format.json(new)))
      try handle.synchronize()
      try handle.close()
      try disk.rename(url.lastPathComponent, to: "notes")
      try disk.synchronize()
    },
    Habit("a log of states with checksums", .right, load: loadLog) { disk, _, new in
      try disk.append(Format.sealed(Format.json(new)), to: "log")
    },
    Habit("a log of changes with checksums", .right, load: loadChanges) { disk, old, new in
      try disk.append(Format.sealed(Format.changes(from: old, to: new)), to: "log")
    },
    Habit("two slots in turn", .right) { disk in
      try Format.notes(slots(disk).max { $0.number < $1.number }?.json)
    } save: { disk, _, new in
      let number = (slots(disk).map(\.number).max() ?? 0) + 1
      let record = Format.sealed(Format.number(number) + Format.json(new))
      try disk.write(record, to: "slot\(number % 2)")
      try disk.synchronize()
    },
    Habit("a journal of what was before", .right) { disk in
      if let old = Format.unsealed(disk.read("undo")) {
        try disk.write(old, to: "notes")
        try disk.synchronize()
      }
      disk.remove("undo")
      try disk.synchronize()
      return try Format.notes(disk.read("notes"))
    } save: { disk, old, new in
      try disk.write(Format.sealed(Format.json(old)), to: "undo")
      try disk.synchronize()
      try disk.write(Format.json(new), to: "notes")
      try disk.synchronize()
      disk.remove("undo")
      try disk.synchronize()
    },
    Habit("a journal of what comes", .right) { disk in
      guard let new = Format.unsealed(disk.read("redo")) else {
        return try Format.notes(disk.read("notes"))
      }
      try disk.write(new, to: "notes")
      try disk.synchronize()
      return try Format.notes(new)
    } save: { disk, _, new in
      try disk.write(Format.sealed(Format.json(new)), to: "redo.new")
      try disk.rename("redo.new", to: "redo")
      try disk.synchronize()
      try disk.write(Format.json(new), to: "notes")
    },
    Habit("folders of generations and a link to the newest", .right) { disk in
      try Format.notes(disk.read("current/notes"))
    } save: { disk, _, new in
      let last = disk.names.compactMap { Int($0.dropFirst(4)) }.max() ?? 0
      let folder = "gen-\(last + 1)"
      try Disk.check(mkdir(disk.path(folder), 0o700))
      try disk.write(Format.json(new), to: folder + "/notes")
      try disk.synchronize(folder)
      try disk.synchronize()
      disk.remove("next")
      try Disk.check(symlink(folder, disk.path("next")))
      try disk.rename("next", to: "current")
      try disk.synchronize()
    },
    Habit("files of generations, the newest whole one counts", .right) { disk in
      let whole = generations(disk).compactMap { Format.unsealed(disk.read("state-\($0)")) }
      return try Format.notes(whole.last)
    } save: { disk, _, new in
      let last = generations(disk).last ?? 0
      try disk.write(Format.sealed(Format.json(new)), to: "state-\(last + 1)")
      try disk.synchronize()
      for old in generations(disk) where old < last { disk.remove("state-\(old)") }
    },
    Habit("a file for each note and a list of them", .right) { disk in
      try Format.notes(disk.read("list")).mapValues {
        String(decoding: disk.read($0) ?? [], as: UTF8.self)
      }
    } save: { disk, old, new in
      var list = try Format.notes(disk.read("list"))
      let unused = list
      for (name, text) in new where old[name] != text {
        let file = "note-" + UUID().uuidString
        try disk.write(Array(text.utf8), to: file)
        list[name] = file
      }
      list = list.filter { new[$0.key] != nil }
      try disk.write(Format.json(list), to: "list.new")
      try disk.synchronize()
      try disk.rename("list.new", to: "list")
      try disk.synchronize()
      for (name, file) in unused where list[name] != file { disk.remove(file) }
    },
    Habit("writes that synchronize", .right, load: loadJSON) { disk, _, new in
      try disk.write(
        Format.json(new), to: "notes.tmp", flags: O_TRUNC | O_SYNC, synchronizes: false)
      try disk.rename("notes.tmp", to: "notes")
      try disk.synchronize()
    },
    Habit("fdatasync, through a duplicate", .right, load: loadJSON) { disk, _, new in
      let bytes = Format.json(new)
      try disk.with("notes.tmp", O_WRONLY | O_CREAT | O_TRUNC) { file in
        let other = dup(file)
        defer { close(other) }
        guard write(file, bytes, bytes.count) == bytes.count, fdatasync(other) == 0 else {
          throw StoreError(code: errno)
        }
      }
      try disk.rename("notes.tmp", to: "notes")
      try disk.synchronize()
    },
    Habit("a link to a whole file", .right) { disk in
      try Format.notes(generations(disk).last.flatMap { disk.read("state-\($0)") })
    } save: { disk, _, new in
      let last = generations(disk).last ?? 0
      disk.remove("work")
      try disk.write(Format.json(new), to: "work")
      try Disk.check(link(disk.path("work"), disk.path("state-\(last + 1)")))
      try disk.synchronize()
      disk.remove("work")
    },
    Habit("a log that is rewritten when it is long", .right, load: loadLog) { disk, _, new in
      let record = Format.sealed(Format.json(new))
      guard (disk.read("log")?.count ?? 0) > 2_000 else {
        return try disk.append(record, to: "log")
      }
      try disk.write(record, to: "log.new")
      try disk.rename("log.new", to: "log")
      try disk.synchronize()
    },
    Habit("a record in one call with several buffers", .right, load: loadLog) { disk, _, new in
      var record = Format.sealed(Format.json(new))
      try disk.with("log", O_WRONLY | O_APPEND) { file in
        let count = record.count
        let written = record.withUnsafeMutableBytes { bytes in
          writev(
            file,
            [
              iovec(iov_base: bytes.baseAddress, iov_len: 16),
              iovec(iov_base: bytes.baseAddress! + 16, iov_len: count - 16),
            ], 2)
        }
        guard written == count, fdatasync(file) == 0 else { throw StoreError(code: errno) }
      }
    },
    Habit("a log in a file that is allocated before", .right) { disk in
      try disk.with("log") { file in
        try Disk.check(-posix_fallocate(file, 0, 1 << 14))
        try Disk.check(fsync(file))
      }
      try disk.synchronize()
      return try Format.records(disk.read("log") ?? []).all.last.map { try Format.notes($0) } ?? [:]
    } save: { disk, _, new in
      let end = Format.records(disk.read("log") ?? []).end
      try disk.write(Format.sealed(Format.json(new)), to: "log", at: end)
    },
    Habit("pages that are copied, and two roots", .right) { disk in
      try root(of: disk.read("pages") ?? []).map { try Format.notes($0.json) } ?? [:]
    } save: { disk, _, new in
      let pages = disk.read("pages") ?? []
      let number = (root(of: pages)?.number ?? 0) + 1
      let place = max(2, (pages.count + 511) / 512)
      let json = Format.json(new)
      try disk.write(json, to: "pages", at: place * 512)
      let root = Format.number(number) + Format.number(place) + Format.number(json.count)
      try disk.write(Format.sealed(root), to: "pages", at: number % 2 * 512)
      try disk.synchronize()
    },
    Habit("objects by their content, and a head", .right) { disk in
      disk.remove("HEAD.lock")
      return try Format.notes(
        disk.read("HEAD").flatMap { disk.read(String(decoding: $0, as: UTF8.self)) })
    } save: { disk, _, new in
      let bytes = Format.sealed(Format.json(new))
      let object = "object-" + String(Format.number(bytes[8...]), radix: 16)
      // An object that is there may be one that a crash has cut off.
      try disk.write(Array(bytes.dropFirst(16)), to: object + ".new")
      try disk.rename(object + ".new", to: object)
      try disk.synchronize()
      try disk.write(Array(object.utf8), to: "HEAD.lock", flags: O_EXCL)
      try disk.rename("HEAD.lock", to: "HEAD")
      try disk.synchronize()
    },
    Habit("an old copy beside the new file", .right) { disk in
      if let notes = Format.unsealed(disk.read("notes")) { return try Format.notes(notes) }
      guard let old = Format.unsealed(disk.read("notes.old")) else { return [:] }
      try disk.write(Format.sealed(old), to: "notes")
      try disk.synchronize()
      return try Format.notes(old)
    } save: { disk, old, new in
      try disk.write(Format.sealed(Format.json(old)), to: "notes.old")
      try disk.synchronize()
      try disk.write(Format.sealed(Format.json(new)), to: "notes")
      try disk.synchronize()
    },
  ]

  // MARK: - Parts

  /// The whole slots of a store with two.
  static func slots(_ disk: Disk, checks: Bool = true) -> [(number: Int, json: [UInt8])] {
    ["slot0", "slot1"].compactMap { name in
      Format.records(disk.read(name) ?? [], checks: checks).all.first.map {
        (Format.number($0), Array($0.dropFirst(8)))
      }
    }
  }

  /// The numbers of files that are called by them, in order.
  static func generations(_ disk: Disk) -> [Int] {
    disk.names.filter { $0.hasPrefix("state-") }.compactMap { Int($0.dropFirst(6)) }.sorted()
  }

  /// The newer of the whole roots in the first two pages, and the notes that it points to.
  private static func root(of pages: [UInt8]) -> (number: Int, json: [UInt8])? {
    [0, 512].compactMap { start -> (number: Int, json: [UInt8])? in
      guard pages.count > start, let root = Format.unsealed(Array(pages[start...].prefix(512)))
      else { return nil }
      let place = 512 * Format.number(root[8...])
      let end = place + Format.number(root[16...])
      guard end <= pages.count else { return nil }
      return (Format.number(root), Array(pages[place..<end]))
    }.max { $0.number < $1.number }
  }
}
