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
    /// Parts of the last write are missing; zeros are in their place, or at the end of the file nothing.
    case torn([Range<Int>], keepsSize: Bool)
    /// Everything from the start of a page of 4,096 bytes on is missing.
    case cut(at: Int)
    /// Writes are missing.
    case lost(writes: [Int])
    /// Writes are missing, and there are zeros up to a size.
    case grown(to: Int, losing: [Int])
  }

  /// What is at each path. Equal contents are equal images.
  private(set) var contents: [String: Content] = [:]
  private var bytes: [Int: () -> [UInt8]] = [:]

  private init() {}

  /// The image with given names, and a given state of each file.
  private init(
    _ names: [String: RecordedFolder.Entry],
    _ state: (Int) -> State
  ) {
    for (path, entry) in names where Self.isReachable(path, in: names) {
      switch entry {
      case .folder: contents[path] = .folder
      case .link(let target): contents[path] = .link(to: target)
      case .file(let index):
        let state = state(index)
        bytes[index] = state.bytes
        contents[path] = .file(index, version: state.version, state.damage)
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
  func bytes(of file: Int) -> [UInt8] { bytes[file]?() ?? [] }

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

  // MARK: - Crashes

  /// The images that a crash in a mode may leave of a folder.
  ///
  /// - Returns: The images, and whether they are all that the mode allows.
  static func images(
    of folder: RecordedFolder, after mode: CrashMode
  ) -> (all: [FolderImage], isExhaustive: Bool) {
    let files = folder.files
    func whole(_ file: Int) -> State { files[file].whole }
    func lost(_ file: Int) -> State { files[file].lost }
    switch mode {
    case .processCrash: return ([FolderImage(folder.names, whole)], true)
    case .powerLoss: return ([FolderImage(folder.durableNames, lost)], true)
    case .powerLossKeepingNames: return ([FolderImage(folder.names, lost)], true)
    case .powerLossKeepingData: return ([FolderImage(folder.durableNames, whole)], true)
    case .powerLossLosingName:
      let names = folder.unsynchronizedNames.indices.map { lost in
        folder.names { $0 != lost }
      }
      return (names.flatMap { [FolderImage($0, whole), FolderImage($0, lost)] }, true)
    case .powerLossKeepingFirstNames:
      let names = folder.unsynchronizedNames.indices.dropFirst().map { end in
        folder.names { $0 < end }
      }
      return (names.flatMap { [FolderImage($0, whole), FolderImage($0, lost)] }, true)
    case .powerLossTearingWrite, .powerLossLosingWrite, .powerLossKeepingSizes:
      let damages = files.map { $0.damages(after: mode) }
      let combinations = DamageCombinations(of: damages.map(\.count))
      let (ends, hasAllEnds) = endsOfNames(in: folder)
      let names = ends.map { end in folder.names { $0 < end } }
      let images = names.flatMap { names in
        combinations.all.map { numbers in
          FolderImage(names) { file in
            numbers[file].map { damages[file][$0] } ?? whole(file)
          }
        }
      }
      return (
        images,
        hasAllEnds && combinations.isExhaustive && files.allSatisfy { $0.isExhaustive(after: mode) }
      )
    }
  }

  /// The largest number of changes of names of which every first part is combined with damaged bytes.
  private static let nameLimit = 4

  /// How many of the changes of names are kept where bytes are damaged: all, none, or the first ones, since the
  /// name of one file may be synchronized with another file that is whole.
  private static func endsOfNames(in folder: RecordedFolder) -> (all: [Int], isExhaustive: Bool) {
    let count = folder.unsynchronizedNames.count
    let isExhaustive = count <= nameLimit
    let last = (count - min(count, nameLimit)...count).reversed()
    return (isExhaustive ? Array(last) : last + [0], isExhaustive)
  }

  /// A version of a file's bytes, and what a crash did to it. Most images equal another one, so the bytes are
  /// made only for those that are opened.
  fileprivate typealias State = (bytes: () -> [UInt8], version: Int, damage: Damage)

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
          try write(bytes(of: index), to: place)
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

  /// The file with everything that was written.
  fileprivate var whole: FolderImage.State { ({ present.bytes }, present.number, .none) }

  /// The file with nothing that was not synchronized.
  fileprivate var lost: FolderImage.State { ({ durable.bytes }, durable.number, .none) }

  /// What a power loss may do to the file in a mode that damages files. The worst is the first.
  fileprivate func damages(after mode: CrashMode) -> [FolderImage.State] {
    guard present.number != durable.number else { return [] }
    func states(
      _ damage: ([Int]) -> FolderImage.Damage, _ bytes: @escaping ([Int]) -> [UInt8]
    ) -> [FolderImage.State] {
      writesToLose.map { writes in ({ bytes(writes) }, present.number, damage(writes)) }
    }
    switch mode {
    case .powerLossTearingWrite:
      return [lost] + torn(tornParts.filter { !leavesGap($0) }, keepsSize: false)
        + pageStarts.suffix(Self.endLimit).map { end in
          ({ Array(present.bytes.prefix(end)) }, present.number, .cut(at: end))
        }
    case .powerLossKeepingSizes:
      let size = present.bytes.count
      guard size > durable.bytes.count else { return [lost] }
      let sizes = [size] + earlierSizes.suffix(Self.endLimit)
      return [lost]
        + sizes.map { size in
          ({ durable.bytes.grown(to: size) }, durable.number, .grown(to: size, losing: []))
        }
        + states({ .grown(to: size, losing: $0) }, { without(writes: $0).grown(to: size) })
        + torn(tornParts.filter { !addedParts(of: $0).isEmpty }, keepsSize: true)
    default:
      return [lost] + states({ .lost(writes: $0) }, { without(writes: $0) })
    }
  }

  /// The writes that may be lost together, but not all of them: every combination of a few, and of more each
  /// one alone, of more than 32 the first and last 16.
  private var writesToLose: [[Int]] {
    let all = Array(unsynchronized.indices)
    if all.count <= Self.writeLimit {
      // If the file was resized meanwhile, to lose all writes is not to lose everything.
      let last = base == durable.bytes ? 1 : 0
      return (1..<max(1, 1 << all.count - last)).map { bits in all.filter { bits >> $0 & 1 == 1 } }
    }
    return (all.count <= 32 ? all : Array(all.prefix(16) + all.suffix(16))).map { [$0] }
  }

  /// Whether every combination of lost writes, or of sectors, is tried.
  fileprivate func isExhaustive(after mode: CrashMode) -> Bool {
    let hasAllWrites = unsynchronized.count <= Self.writeLimit
    let hasAllSectors =
      unsynchronized.last.map { Self.sectors(of: $0.range, 512).count <= Self.sectorLimit } ?? true
    return switch mode {
    case .powerLossTearingWrite: hasAllSectors && Array(pageStarts).count <= Self.endLimit
    case .powerLossKeepingSizes:
      hasAllWrites && hasAllSectors && earlierSizes.count <= Self.endLimit
    default: hasAllWrites
    }
  }

  /// The sizes before unsynchronized writes by which the file had grown, in ascending order.
  private var earlierSizes: [Int] {
    let size = present.bytes.count
    return Set(unsynchronized.map(\.sizeBefore).filter { $0 > durable.bytes.count && $0 != size })
      .sorted()
  }

  /// The largest number of earlier sizes, and of earlier pages, at which the file may end.
  private static let endLimit = 16

  /// The starts of pages by which the file has grown, up to the last unsynchronized write: pages are written one by one.
  private var pageStarts: StrideTo<Int> {
    guard let last = unsynchronized.last else { return stride(from: 0, to: 0, by: 4_096) }
    let hasGrownLast = last.range.upperBound > last.sizeBefore
    let end = hasGrownLast ? min(last.range.lowerBound, last.sizeBefore) : present.bytes.count
    let first = (durable.bytes.count / 4_096 + 1) * 4_096
    return stride(from: first, to: end, by: 4_096)
  }

  /// The parts of the last unsynchronized write that a power loss may lose, if only whole sectors of 512
  /// or 4,096 bytes are written, in any order.
  ///
  /// Of up to ``sectorLimit`` sectors every combination is tried, and otherwise the first ones, the last
  /// ones, and each one alone.
  private var tornParts: [[Range<Int>]] {
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

  private func torn(_ damages: [[Range<Int>]], keepsSize: Bool) -> [FolderImage.State] {
    damages.map { parts in
      (
        { torn(parts, keepsSize: keepsSize) }, present.number, .torn(parts, keepsSize: keepsSize)
      )
    }
  }

  /// What of missing parts is beyond the end that the file had before the last write.
  private func addedParts(of missing: [Range<Int>]) -> [Range<Int>] {
    let start = unsynchronized.last?.sizeBefore ?? 0
    return missing.compactMap { part in
      part.upperBound > start ? max(part.lowerBound, start)..<part.upperBound : nil
    }
  }

  /// Whether bytes follow missing parts by which the file grew. Such a gap is only left where a size may be
  /// kept before its bytes.
  private func leavesGap(_ missing: [Range<Int>]) -> Bool {
    let added = addedParts(of: missing)
    return added.count > 1 || added.first.map { $0.upperBound < present.bytes.count } ?? false
  }

  /// The present bytes without parts of the last write.
  private func torn(_ missing: [Range<Int>], keepsSize: Bool) -> [UInt8] {
    guard let last = unsynchronized.last else { return present.bytes }
    var bytes = present.bytes
    let start = min(last.range.lowerBound, last.sizeBefore)
    for part in missing {
      let old = last.replaced.dropFirst(part.lowerBound - start).prefix(part.count)
      bytes.replaceSubrange(part, with: Array(old).grown(to: part.count))
    }
    // The file did not grow by sectors that are missing at its end.
    if !keepsSize, let end = missing.last, end.upperBound == bytes.count {
      bytes.removeSubrange(max(end.lowerBound, last.sizeBefore)...)
    }
    return bytes
  }
}

/// The ways in which a crash damages some of several files. The first damage of a file is that it loses all that was not
/// synchronized.
struct DamageCombinations {
  /// The largest number of ways to damage more than one file that are tried.
  static let limit = 48

  /// For each file the number of its damage, or `nil` for none.
  private(set) var all: [[Int?]] = []
  /// Whether these are all ways. Otherwise those of more than one file are drawn, the same ones each time.
  private(set) var isExhaustive = true

  /// - Parameter counts: The number of damages that each file may have.
  init(of counts: [Int]) {
    let files = counts.indices.filter { counts[$0] > 0 }
    let none = [Int?](repeating: nil, count: counts.count)
    for file in files {
      for number in 0..<counts[file] {
        all.append(none)
        all[all.count - 1][file] = number
      }
    }
    guard files.count > 1 else { return }
    let ways = files.reduce(1) { min($0 * (counts[$1] + 1), 1 << 20) }
    isExhaustive = ways <= Self.limit + all.count + 1
    // What file systems leave most often is always among them: some files lose everything, and one of them or none has
    // another damage.
    if !isExhaustive { all += Self.losses(counts, files) }
    for way in 0..<(isExhaustive ? ways : Self.limit) {
      var rest = UInt64(way)
      var numbers = none
      for file in files {
        let choices = UInt64(counts[file] + 1)
        if !isExhaustive { rest = rest &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407 }
        let choice = (isExhaustive ? rest : rest >> 33) % choices
        if isExhaustive { rest /= choices }
        if choice > 0 { numbers[file] = Int(choice) - 1 }
      }
      if numbers.count(where: { $0 != nil }) > 1 { all.append(numbers) }
    }
  }

  /// The largest number of combinations in which files lose everything.
  private static let lossLimit = 240

  /// The combinations in which two or more of the first four files are damaged, and all of them but one or none lose
  /// everything: first those of two files.
  private static func losses(_ counts: [Int], _ files: [Int]) -> [[Int?]] {
    let files = files.prefix(4)
    let none = [Int?](repeating: nil, count: counts.count)
    func setting(_ file: Int, to damage: Int, in numbers: [Int?]) -> [Int?] {
      var numbers = numbers
      numbers[file] = damage
      return numbers
    }
    let lost = files.reduce(into: [none]) { all, file in
      all += all.map { setting(file, to: 0, in: $0) }
    }
    let others = lost.flatMap { numbers in
      files.filter { numbers[$0] == nil }.flatMap { file in
        (1..<max(1, counts[file])).map { setting(file, to: $0, in: numbers) }
      }
    }
    let damaged = { (numbers: [Int?]) in numbers.count { $0 != nil } }
    return Array(
      (lost + others).filter { damaged($0) > 1 }.sorted { damaged($0) < damaged($1) }
        .prefix(lossLimit))
  }
}
