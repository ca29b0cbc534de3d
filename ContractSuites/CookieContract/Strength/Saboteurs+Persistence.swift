import ContractTesting
import CookiePort
import Foundation
import SystemLocks
import Testing

extension Saboteur<CookieStoreFixture> {
  @SaboteurBuilder<CookieStoreFixture>
  static var persistence: [Saboteur] {
    flawed(
      "saves-insecure", "writes cookies to the file without Secure", caughtBy: "survives-reopen",
      saying: "the list after reopening"
    ) {
      $0.isPersistent = true
      $0.rereadsFile = false
      $0.saved = { for index in $0.indices { $0[index].isSecure = false } }
    }
    flawed(
      "saves-seconds", "rounds creation times in the file to whole seconds",
      caughtBy: "survives-reopen",
      saying: "the list after reopening"
    ) {
      $0.isPersistent = true
      $0.rereadsFile = false
      $0.saved = {
        for index in $0.indices {
          let time = $0[index].creation.timeIntervalSinceReferenceDate.rounded()
          $0[index].creation = Date(timeIntervalSinceReferenceDate: time)
        }
      }
    }
    flawed(
      "saves-no-access", "writes cookies to the file without their last access",
      caughtBy: "flush-last-access", saying: "the last access in the files"
    ) {
      $0.isPersistent = true
      $0.rereadsFile = false
      $0.saved = { for index in $0.indices { $0[index].lastAccess = $0[index].creation } }
    }
    flawed(
      "saves-by-name", "writes cookies to the file in order of their names",
      caughtBy: "survives-reopen", "reopened-order"
    ) {
      $0.isPersistent = true
      $0.rereadsFile = false
      $0.saved = { $0.sort { $0.name < $1.name } }
    }
    flawed(
      "saves-no-session", "doesn't write session cookies to the file",
      caughtBy: "reopened-session", saying: "the store lists ['b=1']"
    ) {
      $0.isPersistent = true
      $0.rereadsFile = false
      $0.saved = { $0.removeAll { $0.expires == nil } }
    }
    flawed(
      "clock-alone-kept", "orders cookies by the clock only after reopening",
      caughtBy: "reopened-order"
    ) {
      $0.isPersistent = true
      $0.orderByClockOnly()
    }
    flawed(
      "undead", "never removes a cookie from the file", caughtBy: "reopened-deletions",
      "crash-survival"
    ) {
      $0.isPersistent = true
      $0.rereadsFile = false
      let everWritten = AccumulatedCookies()
      $0.saved = { $0 = everWritten.adding($0) }
    }
    flawed(
      "readable-file", "makes the file readable by everyone", caughtBy: "private-files",
      saying: "cookies.json has mode 644 after a write"
    ) {
      $0.isPersistent = true
      $0.fileMode = 0o644
    }
    flawed(
      "saves-when-flushed", "writes the file only when it is flushed",
      caughtBy: "crash-survival", saying: "the store lists []"
    ) {
      $0.isPersistent = true
      $0.writesImmediately = false
      $0.rereadsFile = false
    }
    flawed(
      "reads-once", "reads the file only when it is opened",
      caughtBy: "several-handles", "no-lost-writes", "several-last-accesses"
    ) {
      $0.isPersistent = true
      $0.rereadsFile = false
    }
    flawed(
      "unlocked", "reads and writes the file without a lock", caughtBy: "no-lost-writes",
      saying: "written by two handles"
    ) {
      $0.isPersistent = true
      $0.locksFile = false
    }
    flawed(
      "flushes-alone", "fails to flush while another handle does", caughtBy: "flush-at-once",
      saying: "another handle has locked the file"
    ) {
      $0.isPersistent = true
      $0.flushesOneAtATime = true
    }
  }
}

/// Every cookie that a store has written, deleted ones included.
private final class AccumulatedCookies: Sendable {
  private let cookies = Mutex<[Cookie.ID: Cookie]>([:])

  /// Adds cookies, and returns all of them by name.
  func adding(_ new: [Cookie]) -> [Cookie] {
    cookies.withLock { cookies in
      for cookie in new { cookies[cookie.id] = cookie }
      return cookies.values.sorted { $0.name < $1.name }
    }
  }
}
