public import CookiePort
import Foundation
public import RecordedHistories

/// The cookie jar as the model of recorded histories, which contain no dates.
///
/// Only `wait` and `setBack` move the clock. A page is a URL, with the prefix `script:` if a script accesses
/// the cookies.
///
/// | function | `value` | result |
/// |---|---|---|
/// | `store` | [line, page] | `stored`, `replaced`, `removed`, `nothing`, or why it was rejected |
/// | `cookies` | page | the value of the `Cookie` header, `null` if there is none |
/// | `all` | | an array of `name=value`, earliest creation first |
/// | `delete` | [name, page] | Boolean; deletes the host-only cookie of the page's host and path |
/// | `removeExpired` | | integer |
/// | `clear`, `endSession` | | |
/// | `wait`, `setBack` | seconds, 0 to 1,000,000,000 | |
/// | `restore` | [line, page, age] | restores the cookie that the line made `age` seconds ago |
///
/// The reason for a rejection is the name of a case of `CookieRejection`, such as `overlaysSecure`.
/// If the result of `store`, `delete` or `removeExpired` is missing, any result is possible.
public struct CookieHistoryModel: RecordedModel {
  /// The model without the file format.
  private let model = CookieModel()

  /// The compared part of a call's result.
  public enum Response: Sendable, Hashable {
    case done
    /// The outcome of storing a line.
    case outcome(Outcome)
    /// The rejection of a line.
    case refused(CookieRejection)
    /// The value of the `Cookie` header.
    case header(String?)
    /// Each cookie as `name=value`.
    case listed([String])
    case flag(Bool)
    case count(Int)
  }

  /// The outcome of storing a line.
  public enum Outcome: String, Sendable, Hashable {
    /// A cookie was stored.
    case stored
    /// A cookie was stored and replaced another.
    case replaced
    /// The line had expired and deleted a cookie.
    case removed
    /// The line had expired and there was no cookie to delete.
    case nothing
  }

  public var initialState: CookieModel.State { model.initialState }

  /// Creates a model of an empty jar with the default policy.
  ///
  /// - Parameter initial: Ignored: a history always begins with an empty jar.
  public init(initial: RecordedValue? = nil) {}

  public func apply(
    _ command: CookieModel.Command, to state: inout CookieModel.State
  ) -> Response {
    switch (model.apply(command, to: &state), command) {
    case (.cookies(let cookies), .all): .listed(cookies.map(\.serialized))
    case (.cookies(let cookies), _): .header(Cookie.header(for: cookies))
    case (.change(_?, let removed), _): .outcome(removed == nil ? .stored : .replaced)
    case (.change(nil, let removed), _): .outcome(removed == nil ? .nothing : .removed)
    case (.rejected(let reason), _): .refused(reason)
    case (.count(let count), .delete): .flag(count > 0)
    case (.count(let count), _): .count(count)
    case (.done, _): .done
    }
  }

  public func isReadOnly(_ command: CookieModel.Command) -> Bool { model.isReadOnly(command) }
}

// MARK: - The file format

extension CookieHistoryModel {
  public typealias Problem = LinearizabilityFileError.Problem

  public static func command(_ call: RecordedCall) throws(Problem) -> CookieModel.Command {
    switch call.function {
    case "store":
      let (line, page) = try textAndPage(of: call, text: "the Set-Cookie line")
      return .store(line, from: page)
    case "cookies": return .cookies(for: try page(call.value, of: call, needs: "a page's URL"))
    case "all": return .all
    case "delete":
      let (name, page) = try textAndPage(of: call, text: "the cookie's name")
      return .delete(name, of: page)
    case "clear": return .clear
    case "removeExpired": return .removeExpired
    case "endSession": return .endSession
    case "wait": return .wait(try seconds(call.value, of: call))
    case "setBack": return .setBack(try seconds(call.value, of: call))
    case "restore":
      guard case .array(let values) = call.value, values.count == 3 else {
        throw .badArgument(
          function: call.function,
          needs: "an array of the Set-Cookie line, the page's URL and the age")
      }
      var line = call
      line.value = .array(Array(values.prefix(2)))
      let (text, page) = try textAndPage(of: line, text: "the Set-Cookie line")
      return .restore(text, from: page, age: try seconds(values[2], of: call, from: -1_000_000_000))
    default: throw .unknownFunction(call.function)
    }
  }

  private static func seconds(
    _ value: RecordedValue, of call: RecordedCall, from first: Int = 0
  ) throws(Problem) -> Int {
    guard case .integer(let seconds) = value, first...1_000_000_000 ~= seconds else {
      throw .badArgument(
        function: call.function, needs: "a whole number of seconds from \(first) to 1000000000")
    }
    return seconds
  }

  private static func textAndPage(
    of call: RecordedCall, text: String
  ) throws(Problem) -> (String, CookieModel.Page) {
    let needs = "an array of \(text) and the page's URL"
    guard case .array(let values) = call.value, values.count == 2,
      case .string(let text) = values[0]
    else { throw .badArgument(function: call.function, needs: needs) }
    return (text, try page(values[1], of: call, needs: needs))
  }

  private static func page(
    _ value: RecordedValue, of call: RecordedCall, needs: String
  ) throws(Problem) -> CookieModel.Page {
    guard case .string(let url) = value else {
      throw .badArgument(function: call.function, needs: needs)
    }
    do throws(CookieRequestError) {
      return try CookieModel.Page(url: url)
    } catch {
      throw .badArgument(function: call.function, needs: "\(needs) (\(error))")
    }
  }

  public static func call(_ command: CookieModel.Command) -> RecordedCall {
    switch command {
    case .store(let line, let page):
      RecordedCall("store", value: [.string(line), .string("\(page)")])
    case .cookies(let page): RecordedCall("cookies", value: .string("\(page)"))
    case .all: RecordedCall("all")
    case .delete(let name, let page):
      RecordedCall("delete", value: [.string(name), .string("\(page)")])
    case .clear: RecordedCall("clear")
    case .removeExpired: RecordedCall("removeExpired")
    case .endSession: RecordedCall("endSession")
    case .wait(let seconds): RecordedCall("wait", value: .integer(seconds))
    case .setBack(let seconds): RecordedCall("setBack", value: .integer(seconds))
    case .restore(let line, let page, let age):
      RecordedCall("restore", value: [.string(line), .string("\(page)"), .integer(age)])
    }
  }

  public static func text(of state: CookieModel.State) -> String {
    let now = CookieModel().start.addingTimeInterval(TimeInterval(state.time))
    return "\(RecordedValue.array(state.jar.all(now: now).map { .string($0.serialized) }))"
  }

  public static func answersInValue(_ command: CookieModel.Command) -> Bool {
    switch command {
    case .cookies, .all: true
    case .store, .delete, .clear, .removeExpired, .endSession, .wait, .setBack, .restore: false
    }
  }

  public static func response(
    _ result: RecordedValue?, to command: CookieModel.Command
  ) throws(Problem) -> Response? {
    switch (command, result) {
    case (.clear, _), (.endSession, _), (.wait, _), (.setBack, _), (.restore, _): return .done
    case (.store, nil), (.store, .null), (.removeExpired, nil), (.removeExpired, .null): return nil
    case (.store, .string(let text)):
      if let outcome = Outcome(rawValue: text) { return .outcome(outcome) }
      if let reason = CookieRejection(rawValue: text) { return .refused(reason) }
      throw .badResult(
        function: "store",
        needs: "stored, replaced, removed, nothing or the reason for a rejection")
    case (.store, _):
      throw .badResult(function: "store", needs: "a string: stored, replaced, removed, nothing, …")
    case (.cookies, .null): return .header(nil)
    case (.cookies, .string(let header)): return .header(header)
    case (.cookies, _):
      throw .badResult(function: "cookies", needs: "the Cookie header, or null for none")
    case (.all, .array(let values)):
      var names: [String] = []
      for case .string(let text) in values { names.append(text) }
      if names.count == values.count { return .listed(names) }
      throw .badResult(function: "all", needs: "an array of strings, each name=value")
    case (.all, _):
      throw .badResult(function: "all", needs: "an array of strings, each name=value")
    case (.delete, _): return try flag(result, command).map(Response.flag)
    case (.removeExpired, .integer(let count)): return .count(count)
    case (.removeExpired, _): throw .badResult(function: "removeExpired", needs: "an integer")
    }
  }

  public static func result(_ response: Response) -> RecordedValue {
    switch response {
    case .done, .header(nil): .null
    case .outcome(let outcome): .string(outcome.rawValue)
    case .refused(let reason): .string(reason.rawValue)
    case .header(let header?): .string(header)
    case .listed(let cookies): .array(cookies.map(RecordedValue.string))
    case .flag(let flag): .bool(flag)
    case .count(let count): .integer(count)
    }
  }
}

extension CookieHistoryModel.Response: CustomStringConvertible {
  /// Whether both have the same form in a file, strings byte by byte.
  public static func == (one: Self, other: Self) -> Bool {
    CookieHistoryModel.result(one) == CookieHistoryModel.result(other)
  }

  /// The response in the form of a history file.
  public var description: String { "\(CookieHistoryModel.result(self))" }
}
