import Foundation

/// How a report is printed, as the environment and the terminal say.
package struct TerminalSettings: Equatable, Sendable {
  /// Whether to use colours.
  package var usesColour: Bool

  /// The width of a line in columns.
  package var width: Int

  /// The settings for an open file.
  package init(descriptor: CInt) {
    var size = winsize()
    let isTerminal = isatty(descriptor) == 1
    let isKnown = isTerminal && ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0
    self.init(
      environment: ProcessInfo.processInfo.environment, isTerminal: isTerminal,
      columns: isKnown ? Int(size.ws_col) : 0)
  }

  /// The settings for an environment.
  ///
  /// An empty variable counts as one that is not set (no-color.org). `NO_COLOR` prevails over `FORCE_COLOR`, and that
  /// over `TERM=dumb`. `COLUMNS` prevails over the terminal's width. What is no terminal has the standard width.
  ///
  /// - Parameters:
  ///   - environment: The variables.
  ///   - isTerminal: Whether the report goes to a terminal.
  ///   - columns: The terminal's width, or 0 if it is unknown.
  package init(environment: [String: String], isTerminal: Bool, columns: Int) {
    func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    if value("NO_COLOR") != nil {
      usesColour = false
    } else if let force = value("FORCE_COLOR") {
      usesColour = force != "0"
    } else {
      usesColour = isTerminal && value("TERM") != "dumb"
    }
    let chosen = value("COLUMNS").flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
    width = chosen ?? (columns > 0 ? columns : TerminalReport.width)
  }
}
