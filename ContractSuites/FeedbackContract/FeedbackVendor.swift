/// The remote control of the vendor behind a feedback service.
///
/// The vendor has one place for a listener, and answers whoever is in it when the answer comes.
public protocol FeedbackVendor: Sendable {
  /// Who is in the vendor's only place.
  var listener: FeedbackListener { get }

  /// How many loads the vendor was asked for.
  var loadCount: Int { get }

  /// Puts somebody who is none of the services into the vendor's only place.
  func letStrangerListen()

  /// Has a closure called with every load from now on, before the vendor's function returns.
  ///
  /// It replaces the closure of an earlier call. Loads are answered by it, or later, or never.
  func onLoad(_ body: @escaping @Sendable (VendorLoad) -> Void)

  /// The code of an error that the vendor made, or `nil` when it is not exactly as it made it.
  func code(of error: any Error) -> Int?
}

/// Who is in the vendor's only place.
public enum FeedbackListener: Hashable, Sendable {
  /// The place is empty.
  case nobody
  /// One of the services.
  case service
  /// Somebody else.
  case stranger
}

/// How a vendor answers a load.
public enum VendorAnswer: Hashable, Sendable {
  /// It loads a form with this title and these questions.
  case form(String, questions: [String] = [])
  /// It makes an error with this code.
  case failure(Int)
}

/// A load that has reached the vendor.
public struct VendorLoad: Sendable {
  /// The form's id as it came.
  public var id: String

  /// Who was in the vendor's only place when the load came.
  public var listener: FeedbackListener

  /// Has the vendor answer, on the thread it is called on; any number of times.
  public var answer: @Sendable (VendorAnswer) -> Void

  /// Describes a load.
  public init(
    id: String, listener: FeedbackListener, answer: @escaping @Sendable (VendorAnswer) -> Void
  ) {
    self.id = id
    self.listener = listener
    self.answer = answer
  }
}
