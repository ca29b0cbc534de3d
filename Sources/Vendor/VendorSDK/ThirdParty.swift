/// The vendor's SDK for feedback forms, as awkward as such SDKs are.
///
/// Set ``delegate``, then call ``loadFeedbackForm(_:)``. There is one delegate per process.
public enum ThirdParty {
  /// The receiver of all answers, held weakly.
  ///
  /// The SDK reads this property when an answer arrives, not when the load begins.
  public static var delegate: (any ThirdPartyDelegate)? {
    get { ThirdPartySandbox.production.delegate }
    set { ThirdPartySandbox.production.delegate = newValue }
  }

  /// Loads a form and calls the delegate, on any thread and possibly before this method returns.
  public static func loadFeedbackForm(_ id: String) {
    ThirdPartySandbox.production.loadFeedbackForm(id)
  }
}

/// Receives the answers of ``ThirdParty``. They do not say which load they belong to.
public protocol ThirdPartyDelegate: AnyObject {
  /// Called when a form was loaded.
  func formDidLoad(_ form: ThirdPartyForm)

  /// Called when a load failed.
  func formDidFailLoading(_ error: ThirdPartyError)
}

/// A form that ``ThirdParty`` has loaded.
public final class ThirdPartyForm: Sendable {
  /// The heading.
  public let title: String

  /// The questions, in order.
  public let questions: [String]

  init(title: String, questions: [String]) {
    self.title = title
    self.questions = questions
  }
}

/// The reason why ``ThirdParty`` could not load a form.
public struct ThirdPartyError: Error, Hashable, Sendable {
  /// The vendor's error code.
  public let code: Int

  /// A description of the error.
  public let message: String
}
