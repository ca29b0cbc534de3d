/// Controls and observes the vendor behind a feedback service.
///
/// The vendor has at most one listener and gives every answer to the listener at that time.
public protocol FeedbackVendor: Sendable {
  /// The current listener.
  var listener: FeedbackListener { get }

  /// The number of loads that have reached the vendor.
  var loadCount: Int { get }

  /// Makes a client other than the services the listener.
  func letStrangerListen()

  /// Makes nobody the listener, if another client than the services is.
  func letStrangerLeave()

  /// Calls a closure for each load from now on, before the vendor's function returns.
  ///
  /// The closure replaces that of an earlier call. It may answer the load, keep it for later or
  /// drop it.
  func onLoad(_ body: @escaping @Sendable (VendorLoad) -> Void)

  /// The code of an error of the vendor's, or `nil` if the error is not exactly the vendor's.
  func code(of error: any Error) -> Int?
}

/// The receiver of the vendor's answers.
public enum FeedbackListener: String, Hashable, Sendable, Codable {
  /// No listener: answers are lost.
  case nobody
  /// One of the services.
  case service
  /// Another client of the vendor.
  case stranger
}

/// A vendor's answer to a load.
public enum VendorAnswer: Hashable, Sendable, Codable {
  /// A form with this title and these questions.
  case form(String, questions: [String] = [])
  /// An error with this code.
  case failure(Int)
}

/// A load that has reached the vendor.
public struct VendorLoad: Sendable {
  /// The form's id, as the vendor received it.
  public var id: String

  /// The listener when the load arrived.
  public var listener: FeedbackListener

  /// Makes the vendor answer on the calling thread. May be called any number of times.
  public var answer: @Sendable (VendorAnswer) -> Void

  /// Creates a load.
  public init(
    id: String, listener: FeedbackListener, answer: @escaping @Sendable (VendorAnswer) -> Void
  ) {
    self.id = id
    self.listener = listener
    self.answer = answer
  }
}
