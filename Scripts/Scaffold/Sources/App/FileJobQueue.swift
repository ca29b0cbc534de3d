import Foundation

/// The real queue: a JSON file, which each call reads and writes.
public actor FileJobQueue: JobQueue {
  private struct Contents: Codable {
    var next = 1
    var waiting: [Assignment] = []
    var taken: [Assignment] = []
  }

  private let file: URL

  public init(_ file: URL) { self.file = file }

  public func enqueue(_ job: Job) throws(JobQueueError) -> Int {
    var contents = try read()
    guard contents.waiting.count < 100 else { throw .full(limit: 100) }
    let ticket = contents.next
    contents.next += 1
    contents.waiting.append(Assignment(ticket: ticket, job: job))
    try write(contents)
    return ticket
  }

  public func take() throws(JobQueueError) -> Assignment? {
    var contents = try read()
    guard !contents.waiting.isEmpty else { return nil }
    let first = contents.waiting.removeFirst()
    contents.taken.append(first)
    try write(contents)
    return first
  }

  public func complete(_ ticket: Int) throws(JobQueueError) {
    var contents = try read()
    guard let index = contents.taken.firstIndex(where: { $0.ticket == ticket }) else {
      throw .unknownTicket(ticket)
    }
    contents.taken.remove(at: index)
    try write(contents)
  }

  public var count: Int { get throws(JobQueueError) { try read().waiting.count } }

  private func read() throws(JobQueueError) -> Contents {
    guard FileManager.default.fileExists(atPath: file.path) else { return Contents() }
    do {
      return try JSONDecoder().decode(Contents.self, from: Data(contentsOf: file))
    } catch {
      throw .unusable("\(error)")
    }
  }

  private func write(_ contents: Contents) throws(JobQueueError) {
    do {
      try JSONEncoder().encode(contents).write(to: file, options: .atomic)
    } catch {
      throw .unusable("\(error)")
    }
  }
}
