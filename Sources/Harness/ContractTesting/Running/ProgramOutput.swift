import CPlatform
import Foundation

/// What a program prints.
enum ProgramOutput {
  /// Runs a program; returns `nil` if it can't be started, takes longer than the limit or fails.
  ///
  /// - Parameters:
  ///   - arguments: The program's name or path, and its arguments.
  ///   - limit: The time after which it is killed.
  static func of(_ arguments: [String], within limit: Duration) -> [UInt8]? {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    defer { close(ends[0]) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var process: pid_t = 0
    let variables = ProcessInfo.processInfo.environment.map { "\($0)=\($1)" }
    let code = withCStrings(["env"] + arguments) { arguments in
      withCStrings(variables) { variables in
        platform_spawn(&process, "/usr/bin/env", arguments, variables, -1, ends[1])
      }
    }
    close(ends[1])
    guard code == 0 else { return nil }
    let output = readToEnd(ends[0], within: limit)
    if output == nil { kill(process, SIGKILL) }
    var signal: Int32 = 0
    guard platform_exit_of(process, &signal) == 0, signal == 0 else { return nil }
    return output
  }

  /// Reads a pipe to its end; returns `nil` if that takes longer than the limit.
  private static func readToEnd(_ descriptor: Int32, within limit: Duration) -> [UInt8]? {
    let end = ContinuousClock.now + limit
    var output: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while true {
      let left = ContinuousClock.now.duration(to: end)
      guard left > .zero else { return nil }
      var readable = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&readable, 1, Int32(left / .milliseconds(1)) + 1) > 0 else { continue }
      let count = read(descriptor, &chunk, chunk.count)
      if count == 0 { return output }
      if count > 0 { output += chunk[..<count] }
    }
  }
}
