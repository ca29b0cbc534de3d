import Foundation

/// The files of a folder as a crash leaves them.
struct FolderImage {
  /// What is at a path. Two paths with the same file are hard links.
  enum Content: Hashable {
    case folder
    case link(to: String)
    /// A file's index, the number of its bytes' version, and which part of the last write is
    /// missing.
    case file(Int, version: Int, missing: Range<Int>?)
  }

  /// What is at each path. Equal contents are equal images.
  private(set) var contents: [String: Content] = [:]
  private var bytes: [Int: [UInt8]] = [:]

  private init() {}

  /// The image with given names, and given bytes of each file.
  private init(
    _ names: [String: RecordedFolder.Entry], _ version: (Int) -> RecordedFolder.Version,
    missing: (file: Int, range: Range<Int>)? = nil
  ) {
    for (path, entry) in names where Self.isReachable(path, in: names) {
      switch entry {
      case .folder: contents[path] = .folder
      case .link(let target): contents[path] = .link(to: target)
      case .file(let index):
        let version = version(index)
        bytes[index] = version.bytes
        contents[path] = .file(
          index, version: version.number,
          missing: missing.flatMap { $0.file == index ? $0.range : nil })
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
    switch mode {
    case .processCrash: [FolderImage(folder.names) { folder.files[$0].present }]
    case .powerLoss: [FolderImage(folder.durableNames) { folder.files[$0].durable }]
    case .powerLossKeepingNames: [FolderImage(folder.names) { folder.files[$0].durable }]
    case .powerLossKeepingData: [FolderImage(folder.durableNames) { folder.files[$0].present }]
    case .powerLossTearingWrite:
      folder.files.indices.flatMap { file in
        folder.files[file].missingParts.map { missing in
          FolderImage(
            folder.names,
            { $0 == file ? folder.files[file].without(missing) : folder.files[$0].present },
            missing: (file, missing))
        }
      }
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
  /// The parts of the last unsynchronized write that a power loss may lose, if only whole sectors
  /// are written: all but the first sectors, or all but the last ones.
  fileprivate var missingParts: [Range<Int>] {
    guard let range = lastWrite?.range, let first = range.first else { return [] }
    let boundaries = stride(from: (first / 512 + 1) * 512, to: range.upperBound, by: 512)
    return boundaries.flatMap { [$0..<range.upperBound, range.lowerBound..<$0] }
  }

  /// The present bytes without a part of the last write.
  fileprivate func without(_ missing: Range<Int>) -> RecordedFolder.Version {
    guard let lastWrite else { return present }
    var bytes = present.bytes
    for index in missing {
      let old = index - min(lastWrite.range.lowerBound, lastWrite.sizeBefore)
      bytes[index] =
        index < lastWrite.sizeBefore && lastWrite.replaced.indices.contains(old)
        ? lastWrite.replaced[old] : 0
    }
    // The file did not grow by sectors that are missing at its end.
    if missing.upperBound == bytes.count {
      bytes.removeSubrange(max(missing.lowerBound, lastWrite.sizeBefore)...)
    }
    return .init(bytes: bytes, number: present.number)
  }
}
