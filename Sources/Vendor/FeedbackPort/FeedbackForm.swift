/// A form that asks the user for feedback.
public struct FeedbackForm: Hashable, Sendable, Identifiable {
  /// The id that the form was loaded by.
  public var id: String

  /// What the form is headed with.
  public var title: String

  /// What the form asks, in order.
  public var questions: [String]

  /// Makes a form.
  public init(id: String, title: String, questions: [String] = []) {
    self.id = id
    self.title = title
    self.questions = questions
  }
}
