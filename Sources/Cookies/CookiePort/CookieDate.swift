import Foundation

/// Parses and formats the dates of the `Expires` attribute (RFC 6265bis §5.1.1).
package enum CookieDate {
  /// The latest possible expiry: the end of year 9999.
  package static let latest = Date(timeIntervalSince1970: 253_402_300_799)

  /// The earliest possible date of a cookie's field.
  package static let earliest = Date.distantPast

  /// Whether a date is between the earliest and the latest possible one.
  package static func isValid(_ date: Date) -> Bool {
    // Compared as numbers, because `Date` treats NaN as equal to every date.
    let range = earliest.timeIntervalSince1970...latest.timeIntervalSince1970
    return range.contains(date.timeIntervalSince1970)
  }

  /// Parses a date: time, day, month and year in any order, with other text between them.
  ///
  /// - Returns: The date, or `nil` if a part is missing or out of range or the day doesn't exist.
  package static func parse(_ text: String) -> Date? { text.withBytes(parse) }

  /// Parses a date from UTF-8 bytes.
  static func parse(_ bytes: Bytes) -> Date? {
    var time: (hour: Int, minute: Int, second: Int)?
    var day: Int?
    var month: Int?
    var year: Int?
    for token in bytes.split(whereSeparator: isDelimiter) {
      if time == nil, let found = self.time(token) {
        time = found
      } else if day == nil, let found = number(token, digits: 1...2) {
        day = found
      } else if month == nil, let found = self.month(token) {
        month = found
      } else if year == nil, let found = number(token, digits: 2...4) {
        year = found
      }
    }
    guard let time, let day, let month, var year else { return nil }
    switch year {
    case 0...69: year += 2000
    case 70...99: year += 1900
    default: break
    }
    guard year >= 1601, time.hour <= 23, time.minute <= 59, time.second <= 59,
      (1...length(ofMonth: month, year: year)).contains(day)
    else { return nil }
    // The seconds of a late year exceed `Int` where that has 32 bits.
    let seconds = time.hour * 3600 + time.minute * 60 + time.second
    return Date(
      timeIntervalSince1970: TimeInterval(days(year: year, month: month, day: day)) * 86_400
        + TimeInterval(seconds))
  }

  /// Formats an instant for HTTP, such as `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §5.6.7).
  ///
  /// Fractions of a second are dropped; instants outside the years 1601 to 9999 are clamped.
  package static func format(_ date: Date) -> String {
    let first = TimeInterval(days(year: 1601, month: 1, day: 1)) * 86_400
    // In this order, NaN becomes the first instant.
    let seconds = min(max(first, date.timeIntervalSince1970), latest.timeIntervalSince1970)
    // Where `time_t` has 32 bits, its last instant is in 2038.
    var time = time_t(min(seconds.rounded(.down), TimeInterval(time_t.max)))
    var parts = tm()
    gmtime_r(&time, &parts)
    func digits(_ format: String, _ number: Int32) -> String { String(format: format, number) }
    let day = "\(weekdays[Int(parts.tm_wday)]), \(digits("%02d", parts.tm_mday))"
    let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { digits("%02d", $0) }
    return "\(day) \(months[Int(parts.tm_mon)]) \(digits("%04d", parts.tm_year + 1900)) "
      + "\(clock.joined(separator: ":")) GMT"
  }

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]

  /// Whether a byte separates tokens.
  private static func isDelimiter(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
    default: false
    }
  }

  /// Parses the number that a token begins with; `nil` if it doesn't have as many digits.
  private static func number(_ token: Bytes, digits: ClosedRange<Int>) -> Int? {
    let figures = token.prefix { $0.isDigit }
    guard digits.contains(figures.count) else { return nil }
    return figures.reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }

  /// Parses the hour, minute and second that a token begins with, of one or two digits each.
  private static func time(
    _ token: Bytes
  ) -> (hour: Int, minute: Int, second: Int)? {
    let parts = token.split(
      separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].allSatisfy(\.isDigit), parts[1].allSatisfy(\.isDigit),
      let hour = number(parts[0], digits: 1...2), let minute = number(parts[1], digits: 1...2),
      let second = number(parts[2], digits: 1...2)
    else { return nil }
    return (hour, minute, second)
  }

  /// Returns the month (1 to 12) whose first three letters a token begins with, or `nil`.
  private static func month(_ token: Bytes) -> Int? {
    let letters = token.prefix(3).map(\.lowercased)
    return months.firstIndex { letters.elementsEqual($0.utf8.map(\.lowercased)) }.map { $0 + 1 }
  }

  /// Returns the number of days of a month.
  private static func length(ofMonth month: Int, year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Returns the number of days from 1 January 1970 to a date of the Gregorian calendar.
  private static func days(year: Int, month: Int, day: Int) -> Int {
    // With years that begin in March, the leap day is the last day of the year, and the number of
    // days before a month is a linear function of the month.
    let shifted = month > 2 ? year : year - 1
    let monthFromMarch = (month + 9) % 12
    let leapDays = shifted / 4 - shifted / 100 + shifted / 400
    return shifted * 365 + leapDays + (153 * monthFromMarch + 2) / 5 + day - 1 - 719_468
  }
}
