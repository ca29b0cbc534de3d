/// What a crash leaves of the calls before it.
///
/// POSIX promises after a power loss only what was synchronized: a file's bytes with fsync(2) of
/// the file, and a name with fsync(2) of its folder. Everything else may be kept or lost, in any
/// combination; these modes are the extreme ones.
public enum CrashMode: String, Sendable, Hashable, Codable, CaseIterable {
  /// The process ends, for example by SIGKILL: everything is kept.
  case processCrash
  /// The power fails, and nothing is kept that was not synchronized.
  case powerLoss
  /// The power fails, and names are kept, but no bytes that were not synchronized.
  case powerLossKeepingNames
  /// The power fails, and bytes are kept, but no names that were not synchronized.
  case powerLossKeepingData
  /// The power fails, and everything is kept, but of the last write that was not synchronized only
  /// the first or the last sectors. A sector has 512 bytes.
  case powerLossTearingWrite

  var isPowerLoss: Bool { self != .processCrash }
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
    }
  }
}
