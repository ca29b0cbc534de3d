import CommandLineSupport
import ContractEvidence
import ContractReports
import Foundation

/// `contracts history`: shows what the journals of a folder say over time.
struct HistoryCommand {
  private var folder: String

  init(_ arguments: [String]) throws(UsageError) {
    let arguments = try Arguments(arguments, options: [])
    guard arguments.operands.count == 1 else {
      throw UsageError("'contracts history' needs one folder: contracts history FOLDER")
    }
    folder = arguments.operands[0]
  }

  func run() throws -> Int32 {
    try Output.print(HistoryReport(EvidenceHistory(try journals())).text)
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
