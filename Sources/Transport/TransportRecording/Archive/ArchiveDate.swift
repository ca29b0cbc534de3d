import Foundation

/// The seconds since 1970 of an ISO 8601 date with time zone; `nil` if the text is none.
///
/// Foundation's parser accepts either no fraction or three digits; exporters write zero to seven.
func seconds(of text: String) -> Double? {
  let bytes = Array(text.utf8)
  func number(_ range: Range<Int>) -> Int? {
    guard range.upperBound <= bytes.count, bytes[range].allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    return bytes[range].reduce(0) { 10 * $0 + Int($1 - 0x30) }
  }
  guard let year = number(0..<4), let month = number(5..<7), (1...12).contains(month),
    let day = number(8..<10), let hour = number(11..<13), let minute = number(14..<16),
    let second = number(17..<19), (1...days(in: month, of: year)).contains(day), hour < 25,
    minute < 60, second < 61
  else { return nil }
  var end = 19
  var fraction = 0.0
  if end < bytes.count, bytes[end] == UInt8(ascii: ".") || bytes[end] == UInt8(ascii: ",") {
    end += 1
    var unit = 0.1
    while end < bytes.count, (0x30...0x39).contains(bytes[end]) {
      fraction += unit * Double(bytes[end] - 0x30)
      unit /= 10
      end += 1
    }
  }
  var zone = 0
  if end < bytes.count, bytes[end] == UInt8(ascii: "+") || bytes[end] == UInt8(ascii: "-") {
    let sign = bytes[end] == UInt8(ascii: "+") ? 1 : -1
    let minutes = end + 3 < bytes.count && bytes[end + 3] == UInt8(ascii: ":") ? end + 4 : end + 3
    guard let hours = number(end + 1..<end + 3) else { return nil }
    zone = sign * (60 * hours + (number(minutes..<minutes + 2) ?? 0))
  }
  // Days of the proleptic Gregorian calendar, in years that begin in March.
  let (years, months) = month > 2 ? (year, month - 3) : (year - 1, month + 9)
  let days = 365 * years + years / 4 - years / 100 + years / 400 + (153 * months + 2) / 5 + day
  return Double((days - 719_469) * 86_400 + hour * 3_600 + (minute - zone) * 60 + second) + fraction
}

private func days(in month: Int, of year: Int) -> Int {
  let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
  return month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
}

/// The date as ISO 8601 in UTC with milliseconds.
func iso8601(_ seconds: Double) -> String {
  Date(timeIntervalSince1970: seconds)
    .formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
}
