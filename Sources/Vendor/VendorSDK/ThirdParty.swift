/// Feedback forms by Third Party.
///
/// Set ``delegate``, then call ``loadFeedbackForm(_:)``. There is one delegate for the whole process.
public enum ThirdParty {
  /// Who is told how a load went; held weakly, and read when the answer comes.
  public static var delegate: (any ThirdPartyDelegate)? {
    get { ThirdPartySandbox.production.delegate }
    set { ThirdPartySandbox.production.delegate = newValue }
  }

  /// Loads a form and tells the delegate, on any thread, perhaps before this call returns.
  public static func loadFeedbackForm(_ id: String) {
    ThirdPartySandbox.production.loadFeedbackForm(id)
  }
}

/// Gets the answers of ``ThirdParty``, which do not say what load they belong to.
public protocol ThirdPartyDelegate: AnyObject {
  /// A form has been loaded.
  func formDidLoad(_ form: ThirdPartyForm)

  /// A form could not be loaded.
  func formDidFailLoading(_ error: ThirdPartyError)
}

/// A form as ``ThirdParty`` loads it.
public final class ThirdPartyForm: Sendable {
  /// What the form is headed with.
  public let title: String

  /// What the form asks.
  public let questions: [String]

  init(title: String, questions: [String]) {
    self.title = title
    self.questions = questions
  }
}

/// Why ``ThirdParty`` could not load a form.
public struct ThirdPartyError: Error, Hashable, Sendable {
  /// The number of the error.
  public let code: Int

  /// The error in words.
  public let message: String
}
