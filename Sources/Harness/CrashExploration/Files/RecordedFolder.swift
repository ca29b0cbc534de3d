import CFileRecorder

/// A folder as a recording leads to it, with what of it has been synchronized.
///
/// It follows POSIX, which promises less than most file systems keep: fsync(2) of a file keeps its
/// bytes and size, and a name is kept only by fsync(2) of its folder.
struct RecordedFolder {
  /// A file, whatever its names.
  struct File {
    /// The present bytes, and the number of the change that made them.
    var present = Version()
    /// The bytes that were synchronized last.
    var durable = Version()
    /// The writes since the file was synchronized or resized, and the bytes before them.
    var unsynchronized: [Write] = []
    var base: [UInt8] = []
  }

  /// Bytes with a number that no other bytes of the recording have. Empty files share 0.
  struct Version {
    var bytes: [UInt8] = []
    var number = 0
  }

  /// A write that a crash may lose, or a part of it.
  struct Write {
    var range: Range<Int>
    var bytes: [UInt8]
    /// The bytes that were in the range, as far as the file went.
    var replaced: [UInt8]
    var sizeBefore: Int
  }

  enum Entry: Hashable {
    /// The file at an index of ``RecordedFolder/files``.
    case file(Int)
    case folder
    case link(to: String)
  }

  private(set) var files: [File] = []
  private(set) var names: [String: Entry] = [:]
  private(set) var durableNames: [String: Entry] = [:]
  /// The changes of names since their folders were synchronized; `nil` for a name that was removed.
  private(set) var unsynchronizedNames: [[String: Entry?]] = []
  /// The exemptions of files that the folder does not follow.
  private let exemptions: [CrashExemption]
  /// The exemptions that an event of the recording matched.
  private(set) var exempted: Set<CrashExemption> = []
  private var exemptFiles: Set<UInt64> = []

  private var indices: [UInt64: Int] = [:]
  private var changes = 0

  /// An empty folder.
  init(exempting exemptions: [CrashExemption] = CrashExemption.always) {
    self.exemptions = exemptions
  }

  /// A folder with the files of an image, all of them synchronized.
  ///
  /// - Parameter identify: Returns what identifies the file at a path in a recording.
  init(
    _ image: FolderImage, exempting exemptions: [CrashExemption],
    identify: (String) throws(CrashExplorationError) -> UInt64
  ) throws(CrashExplorationError) {
    self.init(exempting: exemptions)
    var known: [Int: Int] = [:]
    for (path, content) in image.contents {
      switch content {
      case .folder: names[path] = .folder
      case .link(let target): names[path] = .link(to: target)
      case .file(let file, _, _):
        if known[file] == nil {
          let version = Version(bytes: image.bytes(of: file), number: nextChange())
          known[file] = files.count
          indices[try identify(path)] = files.count
          files.append(File(present: version, durable: version, base: version.bytes))
        }
        names[path] = known[file].map { .file($0) }
      }
    }
    durableNames = names
  }

  /// Applies an event.
  ///
  /// - Returns: Whether it is followed, and not that of an exempt file.
  /// - Throws: ``CrashExplorationError`` if it can't be replayed.
  @discardableResult
  mutating func apply(_ event: FileEvent) throws(CrashExplorationError) -> Bool {
    guard let event = try followed(event) else { return false }
    let before = names
    try follow(event)
    if names != before {
      var changes: [String: Entry?] = [:]
      for path in Set(names.keys).union(before.keys) where names[path] != before[path] {
        changes.updateValue(names[path], forKey: path)
      }
      unsynchronizedNames.append(changes)
    }
    return true
  }

  private mutating func follow(_ event: FileEvent) throws(CrashExplorationError) {
    switch event.kind {
    case .create:
      indices[event.file] = files.count
      if !event.path.isEmpty { names[event.path] = .file(files.count) }
      files.append(File())
    case .write: write(event.bytes, at: event.offset, to: try index(event))
    case .resize: resize(try index(event), to: event.offset)
    case .sync: synchronize(try index(event))
    case .syncFolder: synchronizeNames(in: event.path)
    case .syncAll:
      for index in files.indices { synchronize(index) }
      durableNames = names
      unsynchronizedNames = []
    case .rename: try rename(event.path, to: event.other)
    case .exchange:
      try rename(event.path, to: "\0")
      try rename(event.other, to: event.path)
      try rename("\0", to: event.other)
    case .unlink, .removeFolder:
      guard names.removeValue(forKey: event.path) != nil else {
        throw Self.unseen(event, "this name")
      }
    case .link: names[event.path] = .file(try index(event))
    case .symlink: names[event.path] = .link(to: event.other)
    case .makeFolder: names[event.path] = .folder
    case .map: throw Self.unsupported(event, "what is written through it can't be recorded")
    case .unknown: throw Self.unsupported(event, "it can't be replayed")
    case .mark: break
    }
  }

  /// What an event does to files that are followed; `nil` if nothing.
  private mutating func followed(
    _ event: FileEvent
  ) throws(CrashExplorationError) -> FileEvent? {
    switch event.kind {
    case .mark, .syncAll, .syncFolder: return event
    case .exchange where isExempt(event.path) || isExempt(event.other):
      throw Self.unsupported(event, "one of them is exempt")
    case .rename where isExempt(event.path):
      guard isExempt(event.other) else {
        throw Self.unsupported(event, "the file is exempt, and gets a name that is not")
      }
      return nil
    case .rename where isExempt(event.other):
      var event = event
      event.kind = .unlink
      return event
    case .create:
      exemptFiles.remove(event.file)
      if isExempt(event.path) { exemptFiles.insert(event.file) }
      return isExempt(event.path) ? nil : event
    case .write, .resize, .sync, .map:
      return exemptFiles.contains(event.file) || isExempt(event.path) ? nil : event
    default: return isExempt(event.path) ? nil : event
    }
  }

  /// Whether a path is not followed.
  mutating func isExempt(_ path: String) -> Bool {
    guard let exemption = exemptions.first(where: { $0.covers(path) }) else { return false }
    exempted.insert(exemption)
    return true
  }

  /// The names if only some changes that were not synchronized are kept.
  func names(keeping isKept: (_ number: Int) -> Bool) -> [String: Entry] {
    var kept = durableNames
    for (number, changes) in unsynchronizedNames.enumerated() where isKept(number) {
      for (path, entry) in changes { kept[path] = entry }
    }
    return kept
  }

  private static func unsupported(_ event: FileEvent, _ reason: String) -> CrashExplorationError {
    CrashExplorationError(.unsupportedCall, "\(event): \(reason)")
  }

  private func index(_ event: FileEvent) throws(CrashExplorationError) -> Int {
    guard let index = indices[event.file] else { throw Self.unseen(event, "this file") }
    return index
  }

  private static func unseen(_ event: FileEvent, _ what: String) -> CrashExplorationError {
    CrashExplorationError(
      .incompleteRecording,
      "\(event): nothing recorded made \(what), so there is no verdict; it was made with stdio, in another "
        + "folder, by another process, or in another way that can't be seen; exempt the name if the subject "
        + "needs nothing of it after a crash: Reopenable.exempting(_:because:)")
  }

  // MARK: - Files

  private mutating func nextChange() -> Int {
    changes += 1
    return changes
  }

  private mutating func write(_ bytes: [UInt8], at offset: Int, to index: Int) {
    let number = nextChange()
    let size = files[index].present.bytes.count
    let range = offset..<offset + bytes.count
    let overlap = min(offset, size)..<min(range.upperBound, size)
    files[index].unsynchronized.append(
      Write(
        range: range, bytes: bytes, replaced: Array(files[index].present.bytes[overlap]),
        sizeBefore: size))
    files[index].present.bytes.grow(to: range.upperBound)
    files[index].present.bytes.replaceSubrange(range, with: bytes)
    files[index].present.number = number
  }

  private mutating func resize(_ index: Int, to size: Int) {
    guard files[index].present.bytes.count != size else { return }
    let number = nextChange()
    files[index].present.bytes.grow(to: size)
    files[index].present.bytes.removeSubrange(size...)
    files[index].forgetWrites()
    files[index].present.number = size == 0 ? 0 : number
  }

  private mutating func synchronize(_ index: Int) {
    files[index].durable = files[index].present
    files[index].forgetWrites()
  }

  // MARK: - Names

  private mutating func synchronizeNames(in folder: String) {
    func isIn(_ path: String) -> Bool {
      let end = path.utf8.lastIndex(of: UInt8(ascii: "/"))
      return (end.map { String(path[..<$0]) } ?? "") == folder
    }
    for path in durableNames.keys where isIn(path) && names[path] == nil {
      durableNames[path] = nil
    }
    for (path, entry) in names where isIn(path) { durableNames[path] = entry }
    unsynchronizedNames = unsynchronizedNames.map { $0.filter { !isIn($0.key) } }
      .filter { !$0.isEmpty }
  }

  private mutating func rename(_ path: String, to other: String) throws(CrashExplorationError) {
    guard let entry = names[path] else {
      throw CrashExplorationError(
        .incompleteRecording,
        "rename of \(path): nothing recorded made this name, so there is no verdict")
    }
    // Two names of one file: rename(2) does nothing.
    if case .file = entry, names[other] == entry, path != other { return }
    names[path] = nil
    names[other] = entry
    guard entry == .folder else { return }
    for (inner, entry) in names where inner.hasPrefix(path + "/") {
      names[inner] = nil
      names[other + inner.dropFirst(path.count)] = entry
    }
  }
}

extension RecordedFolder.File {
  /// Makes the present bytes those from which writes are lost.
  fileprivate mutating func forgetWrites() {
    unsynchronized = []
    base = present.bytes
  }

  /// The bytes with all writes but some.
  func without(writes numbers: [Int]) -> [UInt8] {
    var bytes = base
    for (index, write) in unsynchronized.enumerated() where !numbers.contains(index) {
      bytes.grow(to: write.range.upperBound)
      bytes.replaceSubrange(write.range, with: write.bytes)
    }
    return bytes
  }
}

extension [UInt8] {
  /// Appends zeros up to a size.
  mutating func grow(to size: Int) {
    if count < size { self += [UInt8](repeating: 0, count: size - count) }
  }

  /// The bytes with zeros up to a size.
  func grown(to size: Int) -> [UInt8] {
    var copy = self
    copy.grow(to: size)
    return copy
  }
}
