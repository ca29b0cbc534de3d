/// What a crash leaves of the calls before it.
///
/// POSIX promises after a power loss only what was synchronized: a file's bytes with fsync(2) of
/// the file, and a name with fsync(2) of its folder. Everything else may be kept or lost, in any
/// combination; these modes are the ones that file systems are known for.
///
/// Source: table 1 of Pillai et al., All File Systems Are Not Created Equal, OSDI 2014.
public enum CrashMode: String, Sendable, Hashable, Codable, CaseIterable {
  /// The process ends, for example by SIGKILL: everything is kept.
  case processCrash
  /// The power fails, and nothing is kept that was not synchronized.
  case powerLoss
  /// The power fails, and names are kept, but no bytes that were not synchronized. ext4 and XFS allocate
  /// blocks late, so that a new name may be kept of a file that is still empty.
  case powerLossKeepingNames
  /// The power fails, and bytes are kept, but no names that were not synchronized.
  case powerLossKeepingData
  /// The power fails, and everything is kept, but of the last unsynchronized write to a file only some
  /// sectors, of 512 or 4,096 bytes, in any order; where the file grew, the first ones. A disk promises no
  /// more than one sector.
  case powerLossTearingWrite
  /// The power fails, and everything is kept but some writes to files that were not synchronized: they
  /// reach a disk in any order. Every file system that writes in place allows it.
  case powerLossLosingWrite
  /// The power fails, and names and sizes are kept, but not the bytes, or not those of some writes or of some
  /// sectors of the last one: where a file grew there are zeros. ext4 and XFS may keep a size before its bytes,
  /// ext4 with `data=ordered` only within a block that the file had before.
  case powerLossKeepingSizes
  /// The power fails, and of the changes of names that were not synchronized only the first ones are kept: a
  /// journal keeps their order. Unsynchronized bytes are kept or lost.
  case powerLossKeepingFirstNames
  /// The power fails, and one change of names that was not synchronized is lost: they reach a disk in any
  /// order. Unsynchronized bytes are kept or lost. A file system without a journal, such as ext2, allows it.
  case powerLossLosingName

  var isPowerLoss: Bool { self != .processCrash }
}

extension [CrashMode] {
  /// Every mode: what POSIX allows. The default.
  public static var posix: [CrashMode] { CrashMode.allCases }

  /// What ext4 and XFS show: everything but one change of names that is lost among others, because their
  /// journals keep the order of names.
  ///
  /// `Scripts/check-filesystems` compares them with what both leave after a shutdown. The bytes by which a write makes a
  /// file longer within its last block may be zeros on ext4 even with `data=ordered`.
  public static var ext4: [CrashMode] { posix.filter { $0 != .powerLossLosingName } }
}

extension CrashMode {
  /// The file systems that are known to leave such files, for messages.
  var fileSystems: String {
    switch self {
    case .processCrash: "every file system"
    case .powerLoss, .powerLossKeepingData, .powerLossTearingWrite:
      "every file system, unless it journals data"
    case .powerLossKeepingNames: "ext4, also with data=ordered, and XFS"
    case .powerLossLosingWrite: "ext4, also with data=ordered, XFS, and others that write in place"
    case .powerLossKeepingSizes: "ext4, with data=ordered only within the last block, and XFS"
    case .powerLossKeepingFirstNames: "ext4, also with data=ordered, XFS, and others with a journal"
    case .powerLossLosingName: "ext2, and others without a journal"
    }
  }
}

extension CrashMode: CustomStringConvertible {
  /// What happens in the mode, for messages.
  public var description: String {
    switch self {
    case .processCrash: "process crash"
    case .powerLoss: "power loss, which keeps nothing unsynchronized"
    case .powerLossKeepingNames: "power loss, which keeps names but no unsynchronized bytes"
    case .powerLossKeepingData: "power loss, which keeps bytes but no unsynchronized names"
    case .powerLossTearingWrite: "power loss, which tears the last unsynchronized write"
    case .powerLossLosingWrite:
      "power loss, which loses unsynchronized writes and keeps others"
    case .powerLossKeepingSizes: "power loss, which keeps sizes without their unsynchronized bytes"
    case .powerLossKeepingFirstNames:
      "power loss, which keeps only the first unsynchronized changes of names"
    case .powerLossLosingName: "power loss, which loses one unsynchronized change of names"
    }
  }
}
