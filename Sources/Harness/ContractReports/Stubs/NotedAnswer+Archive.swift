import ContractEvidence
import Foundation

extension NotedAnswer {
  /// The largest archive that is read, in bytes.
  private static let sizeLimit = 64 << 20

  /// Reads the answers of an archive in the format HAR 1.2. An exchange that failed is none.
  ///
  /// Source: http://www.softwareishard.com/blog/har-12-spec.
  ///
  /// - Parameter path: The file's path.
  /// - Throws: ``JournalFileError`` if the file can't be read, and ``StubFileError`` if it is no archive.
  public static func archive(contentsOf path: String) throws -> [NotedAnswer] {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    if let size = attributes?[.size] as? Int, size > sizeLimit {
      throw StubFileError(path: path, reason: "it has \(size) bytes; at most \(sizeLimit) are read")
    }
    let data = try Data(readingAll: path, action: "read the archive")
    let archive: Archive
    do {
      archive = try JSONDecoder().decode(Archive.self, from: data)
    } catch {
      throw StubFileError(path: path, reason: "it is not an archive in the format HAR 1.2")
    }
    let name = (path as NSString).lastPathComponent
    return archive.log.entries.compactMap { entry in
      guard entry.response.status > 0 else { return nil }
      let content = entry.response.content
      let type = (content?.mimeType ?? "").prefix { $0 != ";" }.filter { !$0.isWhitespace }
      return NotedAnswer(
        port: "http", request: "\(entry.request.method) \(entry.request.url)",
        answer: "\(entry.response.status) \(type.lowercased())", content: content?.decoded,
        source: name + (entry.startedDateTime.map { ", \($0.prefix(10))" } ?? ""))
    }
  }

  private struct Archive: Decodable {
    struct Log: Decodable {
      var entries: [Entry]
    }

    struct Entry: Decodable {
      var startedDateTime: String?
      var request: Request
      var response: Response
    }

    struct Request: Decodable {
      var method: String
      var url: String
    }

    struct Response: Decodable {
      var status: Int
      var content: Content?
    }

    struct Content: Decodable {
      var mimeType: String?
      var text: String?
      var encoding: String?

      /// The content as text, or `nil` if it is not known or no UTF-8.
      var decoded: String? {
        guard encoding == "base64" else { return text }
        return text.flatMap { Data(base64Encoded: $0) }.flatMap {
          String(data: $0, encoding: .utf8)
        }
      }
    }

    var log: Log
  }
}
