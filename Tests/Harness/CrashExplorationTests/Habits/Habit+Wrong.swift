import Foundation

extension Habit {
  static let wrong: [Habit] = [
    Habit("Foundation's write", .wrong, load: loadJSON) { disk, _, new in
      try Data(Format.json(new)).write(to: URL(fileURLWithPath: disk.path("notes")))
    },
    Habit("Foundation's atomic write", .wrong, load: loadJSON) { disk, _, new in
      try Data(Format.json(new)).write(
        to: URL(fileURLWithPath: disk.path("notes")), options: .atomic)
    },
    Habit("a new file without fsync", .wrong, load: loadJSON) { disk, _, new in
      try disk.write(Format.json(new), to: "notes.new", synchronizes: false)
      try disk.rename("notes.new", to: "notes")
      try disk.synchronize()
    },
    Habit("a new file without fsync of the folder", .wrong, load: loadJSON) { disk, _, new in
      try disk.write(Format.json(new), to: "notes.new")
      try disk.rename("notes.new", to: "notes")
    },
    Habit("the folder is synchronized before the rename", .wrong, load: loadJSON) { disk, _, new in
      try disk.write(Format.json(new), to: "notes.new")
      try disk.synchronize()
      try disk.rename("notes.new", to: "notes")
    },
    Habit("the file is overwritten", .wrong, load: loadJSON) { disk, _, new in
      try disk.write(Format.json(new), to: "notes")
      try disk.synchronize()
    },
    Habit("the old file is removed first", .wrong, load: loadJSON) { disk, _, new in
      try disk.write(Format.json(new), to: "notes.new")
      disk.remove("notes")
      try disk.rename("notes.new", to: "notes")
      try disk.synchronize()
    },
    Habit("a log without checksums", .wrong) { disk in
      try loadRecords(disk, checks: false).last.map { try Format.notes($0) } ?? [:]
    } save: { disk, _, new in
      try disk.append(Format.sealed(Format.json(new)), to: "log")
      try disk.synchronize()
    },
    Habit("a log whose torn end stays", .wrong) { disk in
      try Format.records(disk.read("log") ?? []).all.last.map { try Format.notes($0) } ?? [:]
    } save: { disk, _, new in
      try disk.append(Format.sealed(Format.json(new)), to: "log")
      try disk.synchronize()
    },
    Habit("a log without fsync", .wrong, load: loadLog) { disk, _, new in
      try disk.append(Format.sealed(Format.json(new)), to: "log", synchronizes: false)
    },
    Habit("a record for each note that changes", .wrong, load: loadChanges) { disk, old, new in
      for name in Set(old.keys).union(new.keys).sorted() where old[name] != new[name] {
        var next = old
        next[name] = new[name]
        try disk.append(Format.sealed(Format.changes(from: old, to: next)), to: "log")
      }
    },
    Habit("two slots without checksums", .wrong) { disk in
      try Format.notes(slots(disk, checks: false).max { $0.number < $1.number }?.json)
    } save: { disk, _, new in
      let number = (slots(disk, checks: false).map(\.number).max() ?? 0) + 1
      try disk.write(
        Format.sealed(Format.number(number) + Format.json(new)), to: "slot\(number % 2)")
      try disk.synchronize()
    },
    Habit("two copies that are synchronized together", .wrong) { disk in
      let copies = ["copy1", "copy2"].compactMap { Format.unsealed(disk.read($0)) }
      return try Format.notes(copies.first)
    } save: { disk, _, new in
      let names = ["copy1", "copy2"]
      let record = Format.sealed(Format.json(new))
      for name in names { try disk.write(record, to: name, at: 0, synchronizes: false) }
      for name in names { try disk.with(name) { try Disk.check(fsync($0)) } }
      try disk.synchronize()
    },
    Habit("one file with a checksum", .wrong) { disk in
      try Format.notes(Format.unsealed(disk.read("notes")))
    } save: { disk, _, new in
      try disk.write(Format.sealed(Format.json(new)), to: "notes")
      try disk.synchronize()
    },
    Habit("a journal that is not synchronized", .wrong, load: loadUndo) { disk, old, new in
      try disk.write(Format.sealed(Format.json(old)), to: "undo", synchronizes: false)
      try disk.write(Format.json(new), to: "notes")
      try disk.synchronize()
      disk.remove("undo")
      try disk.synchronize()
    },
    Habit("a journal that is removed before the notes are safe", .wrong, load: loadUndo) {
      disk, old, new in
      try disk.write(Format.sealed(Format.json(old)), to: "undo")
      try disk.synchronize()
      try disk.write(Format.json(new), to: "notes", synchronizes: false)
      disk.remove("undo")
      try disk.synchronize()
      try disk.with("notes") { try Disk.check(fsync($0)) }
    },
    twice,
    Habit("the list is synchronized before the notes", .wrong) { disk in
      try Format.notes(disk.read("list")).mapValues {
        String(decoding: disk.read($0) ?? [], as: UTF8.self)
      }
    } save: { disk, old, new in
      var list = try Format.notes(disk.read("list")).filter { new[$0.key] != nil }
      let changed = new.keys.sorted().filter { old[$0] != new[$0] }
      for name in changed { list[name] = "note-" + UUID().uuidString }
      try disk.write(Format.json(list), to: "list.new")
      try disk.rename("list.new", to: "list")
      for name in changed { try disk.write(Array((new[name] ?? "").utf8), to: list[name] ?? "") }
      try disk.synchronize()
    },
    Habit("a lock that a kill leaves", .wrong) { disk in
      if disk.has("lock") { throw StoreError(code: EBUSY) }
      return try loadJSON(disk)
    } save: { disk, _, new in
      try disk.with("lock", O_WRONLY | O_CREAT | O_EXCL) { _ in }
      try disk.write(Format.json(new), to: "notes.new")
      try disk.rename("notes.new", to: "notes")
      try disk.synchronize()
      disk.remove("lock")
    },
    Habit("a log that is cut before its snapshot is safe", .wrong) { disk in
      let records = Format.records(disk.read("log") ?? []).all
      return try Format.notes(records.last ?? disk.read("snapshot"))
    } save: { disk, _, new in
      try disk.append(Format.sealed(Format.json(new)), to: "log")
      if (disk.read("log")?.count ?? 0) > 200 {
        try disk.write(Format.json(new), to: "snapshot.new", synchronizes: false)
        try disk.rename("snapshot.new", to: "snapshot")
        try disk.with("log") { try Disk.check(ftruncate($0, 0)) }
      }
      try disk.synchronize()
    },
  ]

  /// A file for each note, each of them replaced rightly. A rename is two changes.
  private static let twice: Habit = {
    var habit = Habit("a file for each note", .wrong) { disk in
      var notes: Notes = [:]
      for name in disk.names where !name.hasSuffix(".new") {
        notes[name] = String(decoding: disk.read(name) ?? [], as: UTF8.self)
      }
      return notes
    } save: { disk, old, new in
      for (name, text) in new where old[name] != text {
        try disk.write(Array(text.utf8), to: name + ".new")
        try disk.rename(name + ".new", to: name)
      }
      for name in old.keys where new[name] == nil { disk.remove(name) }
      try disk.synchronize()
    }
    habit.renamesTwice = true
    return habit
  }()

  // MARK: - Habits that keep other promises

  /// Synchronizes the folder only at a flush.
  static let lazy: Habit = {
    var habit = Habit("the folder is synchronized at a flush", .wrong, load: loadJSON) {
      disk, _, new in
      try disk.write(Format.json(new), to: "notes.new")
      try disk.rename("notes.new", to: "notes")
    }
    habit.flush = { disk, _ in try disk.synchronize() }
    return habit
  }()

  /// Saves what the change before made.
  static let late: Habit = {
    var habit = Habit("a change is saved with the next one", .wrong, load: loadJSON) {
      disk, old, _ in
      try replace(with: old, on: disk)
    }
    habit.flush = { try replace(with: $1, on: $0) }
    return habit
  }()

  /// A new file that a crash left prevents every change.
  static let exclusive = Habit("a new file must not exist", .wrong, load: loadJSON) {
    disk, _, new in
    try disk.write(Format.json(new), to: "notes.new", flags: O_EXCL)
    try disk.rename("notes.new", to: "notes")
    try disk.synchronize()
  }

  /// Overwrites the file, and does something else than to throw if it can't be read.
  static func overwriting(ifUnreadable fail: @escaping @Sendable () -> Void) -> Habit {
    Habit("the file is overwritten, and trusted", .wrong) { disk in
      do { return try loadJSON(disk) } catch {
        fail()
        throw error
      }
    } save: { disk, _, new in
      try disk.write(Format.json(new), to: "notes")
      try disk.synchronize()
    }
  }

  /// Goes back by a journal, which it removes before the notes are safe.
  static let hasty = Habit("a recovery that forgets its journal", .wrong) { disk in
    if let old = Format.unsealed(disk.read("undo")) {
      disk.remove("undo")
      try disk.synchronize()
      try disk.write(old, to: "notes")
      try disk.synchronize()
    } else {
      disk.remove("undo")
    }
    return try loadJSON(disk)
  } save: { disk, old, new in
    try disk.write(Format.sealed(Format.json(old)), to: "undo")
    try disk.synchronize()
    try disk.write(Format.json(new), to: "notes")
    try disk.synchronize()
    disk.remove("undo")
    try disk.synchronize()
  }

  @Sendable private static func loadUndo(_ disk: Disk) throws -> Notes {
    if let old = Format.unsealed(disk.read("undo")) {
      try disk.write(old, to: "notes")
      disk.remove("undo")
      try disk.synchronize()
    }
    return try loadJSON(disk)
  }

  /// Stores whose files nothing here can follow; some are right.
  static let refused: [Habit] = [
    Habit("stdio, with fsync", .refused, load: loadJSON) { disk, _, new in
      try stdio(new, disk)
      try disk.rename("notes.new", to: "notes")
      try disk.synchronize()
    },
    Habit("a lock file by stdio, which a kill leaves", .refused) { disk in
      if disk.has("lock") { throw StoreError(code: EBUSY) }
      return try loadJSON(disk)
    } save: { disk, _, new in
      fclose(fopen(disk.path("lock"), "w"))
      try disk.write(Format.json(new), to: "notes.new")
      try disk.rename("notes.new", to: "notes")
      try disk.synchronize()
      disk.remove("lock")
    },
    Habit("a shared mapping, with msync", .refused, load: loadJSON) { disk, _, new in
      let bytes = Format.json(new)
      try disk.with("notes") { file in
        try Disk.check(ftruncate(file, off_t(bytes.count)))
        let memory = mmap(nil, bytes.count, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
        guard let memory, memory != MAP_FAILED else { throw StoreError(code: errno) }
        bytes.withUnsafeBytes { memory.copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
        msync(memory, bytes.count, Int32(MS_SYNC))
        munmap(memory, bytes.count)
      }
    },
    Habit("another process", .refused, load: loadJSON) { disk, _, new in
      try disk.write(Format.json(new), to: "notes.new")
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/bin/cp")
      process.arguments = [disk.path("notes.new"), disk.path("notes")]
      try process.run()
      process.waitUntilExit()
    },
  ]

  private static func stdio(_ notes: Notes, _ disk: Disk) throws {
    guard let stream = fopen(disk.path("notes.new"), "w") else { throw StoreError(code: errno) }
    defer { fclose(stream) }
    let bytes = Format.json(notes)
    guard fwrite(bytes, 1, bytes.count, stream) == bytes.count, fflush(stream) == 0,
      fsync(fileno(stream)) == 0
    else { throw StoreError(code: errno) }
  }
}
