import CommandLineSupport
import ContractEvidence
import ContractReports
import Foundation

/// `contracts history`: shows what the journals of a folder say over time.
struct HistoryCommand {
  private var folder: String
  private var isPage: Bool
  private var output: String?

  init(_ arguments: [String]) throws(UsageError) {
    let arguments = try Arguments(arguments, options: ["format", "output"])
    guard arguments.operands.count == 1 else {
      throw UsageError("'contracts history' needs one folder: contracts history FOLDER")
    }
    folder = arguments.operands[0]
    output = arguments["output"]
    switch arguments["format"] {
    case nil, "text": isPage = false
    case "html": isPage = true
    case let other?: throw UsageError("--format '\(other)' is not valid; give text or html")
    }
  }

  func run() throws -> Int32 {
    let report = HistoryReport(EvidenceHistory(try journals()))
    let text = isPage ? report.html : report.text
    if let output {
      try Output.put(text, into: output)
    } else {
      try Output.print(text)
    }
    return 0
  }

  /// The journals of the folder. Links such as `latest.jsonl` stand for another one and don't count.
  private func journals() throws(JournalFileError) -> [(name: String, journal: Journal)] {
    guard let entries = opendir(folder) else {
      throw JournalFileError(path: folder, action: "read the folder", code: errno)
    }
    closedir(entries)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    var journals: [(name: String, journal: Journal)] = []
    for name in names.sorted() where name.hasSuffix(".jsonl") {
      let path = "\(folder)/\(name)"
      var status = stat()
      guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
      journals.append((name, try Journal(contentsOf: path)))
    }
    return journals
  }
}
