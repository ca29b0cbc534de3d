import Foundation

/// The files of a folder as a crash leaves them.
struct FolderImage {
  /// What is at a path. Two paths with the same file are hard links.
  enum Content: Hashable {
    case folder
    case link(to: String)
    /// A file's index, the number of its bytes' version, and what a crash did to them.
    case file(Int, version: Int, Damage)
  }

  /// What a crash did to a version of a file's bytes.
  enum Damage: Hashable {
    case none
    /// Parts of the last write are missing.
    case torn([Range<Int>])
    /// Writes are missing.
    case lost(writes: [Int])
    /// The bytes, and zeros up to a size; writes may be missing too.
    case grown(to: Int, losing: [Int])
  }

  /// What is at each path. Equal contents are equal images.
  private(set) var contents: [String: Content] = [:]
  private var bytes: [Int: [UInt8]] = [:]

  private init() {}

  /// The image with given names, and given bytes of each file.
  private init(
    _ names: [String: RecordedFolder.Entry],
    _ version: (Int) -> (RecordedFolder.Version, Damage)
  ) {
    for (path, entry) in names where Self.isReachable(path, in: names) {
      switch entry {
      case .folder: contents[path] = .folder
      case .link(let target): contents[path] = .link(to: target)
      case .file(let index):
        let (version, damage) = version(index)
        bytes[index] = version.bytes
        contents[path] = .file(index, version: version.number, damage)
      }
    }
  }

  /// Whether the folders above a path exist: a name may have been synchronized in a folder whose
  /// own name was not.
  private static func isReachable(
    _ path: String, in names: [String: RecordedFolder.Entry]
  ) -> Bool {
    var rest = path[...]
    while let slash = rest.lastIndex(of: "/") {
      rest = rest[..<slash]
      guard names[String(rest)] == .folder else { return false }
    }
    return true
  }

  /// The bytes of a file, by its index in ``contents``.
  func bytes(of file: Int) -> [UInt8] { bytes[file] ?? [] }

  /// What is at each path, with the bytes of files: the same for images of different recordings.
  var wholeContents: [String: WholeContent] {
    contents.mapValues { content in
      switch content {
      case .folder: .folder
      case .link(let target): .link(to: target)
      case .file(let file, _, _): .file(bytes(of: file))
      }
    }
  }

  /// What is at a path.
  enum WholeContent: Hashable {
    case folder
    case link(to: String)
    case file([UInt8])
  }

  /// The total size of the files.
  var size: Int { bytes.values.reduce(0) { $0 + $1.count } }

  // MARK: - Crashes

  /// The images that a crash in a mode may leave of a folder.
  static func images(of folder: RecordedFolder, after mode: CrashMode) -> [FolderImage] {
    func present(_ file: Int) -> (RecordedFolder.Version, Damage) {
      (folder.files[file].present, .none)
    }
    func durable(_ file: Int) -> (RecordedFolder.Version, Damage) {
      (folder.files[file].durable, .none)
    }
    /// The images in which one file is damaged.
    func damaged(
      _ damages: (RecordedFolder.File) -> [(bytes: [UInt8], damage: Damage)]
    ) -> [FolderImage] {
      folder.files.indices.flatMap { file in
        damages(folder.files[file]).map { bytes, damage in
          let number = folder.files[file].present.number
          return FolderImage(folder.names) {
            $0 == file ? (.init(bytes: bytes, number: number), damage) : present($0)
          }
        }
      }
    }
    return switch mode {
    case .processCrash: [FolderImage(folder.names, present)]
    case .powerLoss: [FolderImage(folder.durableNames, durable)]
    case .powerLossKeepingNames: [FolderImage(folder.names, durable)]
    case .powerLossKeepingData: [FolderImage(folder.durableNames, present)]
    case .powerLossTearingWrite:
      damaged { file in file.tornParts.map { (file.torn($0), .torn($0)) } }
    case .powerLossLosingWrite:
      damaged { file in
        file.writesToLose.map { (file.without(writes: $0), .lost(writes: $0)) }
      }
    case .powerLossKeepingSizes:
      [FolderImage(folder.names) { folder.files[$0].grown }]
        + damaged { file in
          let size = file.present.bytes.count
          return file.writesToLose.map { writes in
            var bytes = file.without(writes: writes)
            bytes.grow(to: size)
            return (bytes, .grown(to: size, losing: writes))
          }
        }
    case .powerLossLosingName:
      folder.unsynchronizedNames.indices.map { FolderImage(folder.names(without: $0), present) }
    }
  }

  // MARK: - On disk

  /// Writes the files into an empty folder.
  func write(to folder: String) throws {
    var written: [Int: String] = [:]
    // A folder's path comes before those of its files.
    for path in contents.keys.sorted() {
      let place = folder + "/" + path
      switch contents[path] {
      case .folder: try check(mkdir(place, 0o700), path)
      case .link(let target): try check(symlink(target, place), path)
      case .file(let index, _, _):
        if let other = written[index] {
          try check(link(other, place), path)
        } else {
          try write(bytes[index] ?? [], to: place)
          written[index] = place
        }
      case nil: break
      }
    }
  }

  private func write(_ bytes: [UInt8], to place: String) throws {
    let file = open(place, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    try check(file, place)
    defer { close(file) }
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes {
        Foundation.write(file, $0.baseAddress! + done, $0.count - done)
      }
      try check(Int32(clamping: count), place)
      done += count
    }
  }

  private func check(_ code: Int32, _ path: String) throws {
    guard code < 0 else { return }
    throw CrashExplorationError(
      .unsupportedCall, "can't write the image of \(path): \(String(cString: strerror(errno)))")
  }
}

extension RecordedFolder.File {
  /// The largest number of sectors of which every combination is tried.
  private static let sectorLimit = 6

  /// The largest number of writes of which every combination is lost.
  private static let writeLimit = 5

  /// The writes that may be lost together: every combination of a few, and of more each one alone, of more
  /// than 32 the first and last 16.
  fileprivate var writesToLose: [[Int]] {
    let all = Array(unsynchronized.indices)
    if all.count <= Self.writeLimit {
      return (1..<1 << all.count).map { bits in all.filter { bits >> $0 & 1 == 1 } }
    }
    return (all.count <= 32 ? all : Array(all.prefix(16) + all.suffix(16))).map { [$0] }
  }

  /// Whether every combination of lost writes, or of sectors, is tried.
  func isExhaustive(after mode: CrashMode) -> Bool {
    switch mode {
    case .powerLossLosingWrite, .powerLossKeepingSizes:
      unsynchronized.count <= Self.writeLimit
    case .powerLossTearingWrite:
      unsynchronized.last.map { Self.sectors(of: $0.range, 512).count <= Self.sectorLimit } ?? true
    default: true
    }
  }

  /// The synchronized bytes, and zeros up to the present size.
  fileprivate var grown: (RecordedFolder.Version, FolderImage.Damage) {
    guard durable.bytes.count < present.bytes.count else { return (durable, .none) }
    var version = durable
    version.bytes.grow(to: present.bytes.count)
    return (version, .grown(to: version.bytes.count, losing: []))
  }

  /// The parts of the last unsynchronized write that a power loss may lose, if only whole sectors of 512
  /// or 4,096 bytes are written, in any order.
  ///
  /// Of up to ``sectorLimit`` sectors every combination is tried, and otherwise the first ones, the last
  /// ones, and each one alone.
  fileprivate var tornParts: [[Range<Int>]] {
    guard let range = unsynchronized.last?.range, !range.isEmpty else { return [] }
    var all: [[Range<Int>]] = []
    for size in [512, 4_096] {
      let sectors = Self.sectors(of: range, size)
      for parts in Self.combinations(of: sectors) where !all.contains(parts) { all.append(parts) }
    }
    return all
  }

  private static func sectors(of range: Range<Int>, _ size: Int) -> [Range<Int>] {
    let boundaries = stride(
      from: (range.lowerBound / size + 1) * size, to: range.upperBound, by: size)
    let starts = [range.lowerBound] + boundaries
    return zip(starts, starts.dropFirst() + [range.upperBound]).map { $0..<$1 }
  }

  /// The sectors that may be missing, neighbours joined; never none and never all.
  private static func combinations(of sectors: [Range<Int>]) -> [[Range<Int>]] {
    let count = sectors.count
    if count <= sectorLimit {
      return (1..<max(1, 1 << count - 1)).map { bits in
        joined(sectors.indices.filter { bits >> $0 & 1 == 1 }.map { sectors[$0] })
      }
    }
    return (1..<count).flatMap { cut in
      [
        joined(Array(sectors[cut...])), joined(Array(sectors[..<cut])), [sectors[cut]],
      ]
    }
  }

  private static func joined(_ sectors: [Range<Int>]) -> [Range<Int>] {
    sectors.reduce(into: []) { parts, sector in
      if let last = parts.last, last.upperBound == sector.lowerBound {
        parts[parts.count - 1] = last.lowerBound..<sector.upperBound
      } else {
        parts.append(sector)
      }
    }
  }

  /// The present bytes without parts of the last write.
  fileprivate func torn(_ missing: [Range<Int>]) -> [UInt8] {
    guard let last = unsynchronized.last else { return present.bytes }
    var bytes = present.bytes
    for index in missing.joined() {
      let old = index - min(last.range.lowerBound, last.sizeBefore)
      bytes[index] =
        index < last.sizeBefore && last.replaced.indices.contains(old) ? last.replaced[old] : 0
    }
    // The file did not grow by sectors that are missing at its end.
    if let end = missing.last, end.upperBound == bytes.count {
      bytes.removeSubrange(max(end.lowerBound, last.sizeBefore)...)
    }
    return bytes
  }
}
