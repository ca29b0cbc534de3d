/// A form that asks the user for feedback.
public struct FeedbackForm: Hashable, Sendable, Identifiable {
  /// The id that the form was loaded with.
  public var id: String

  /// The heading.
  public var title: String

  /// The questions, in order.
  public var questions: [String]

  /// Creates a form.
  public init(id: String, title: String, questions: [String] = []) {
    self.id = id
    self.title = title
    self.questions = questions
  }
}
