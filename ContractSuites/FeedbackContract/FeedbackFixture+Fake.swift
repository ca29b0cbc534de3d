public import FeedbackPort

extension FeedbackFixture {
  /// Creates a fixture of two fake services, whose vendor is part of the fake.
  ///
  /// - Parameters:
  ///   - form: The form that the vendor answers with on its own.
  ///   - other: A form that no clause loads, with another id.
  public static func fake(
    having form: FeedbackForm,
    besides other: FeedbackForm = FeedbackForm(id: "other", title: "of another id")
  ) -> FeedbackFixture {
    // The second form of an id is never loaded.
    let service = FakeFeedbackService(
      other, form, FeedbackForm(id: form.id, title: "the second one"))
    return FeedbackFixture(
      service: service, otherService: FakeFeedbackService(sharingVendorOf: service),
      vendor: FakeVendor(service: service), timeLimit: .seconds(30),
      ownAnswers: OwnAnswers(
        form: form, unknownID: "unknown",
        isOfUnknownID: { $0 as? UnknownFormError == UnknownFormError(id: "unknown") },
        begin: {}),
      passTime: { service.advance(by: $0) })
  }
}

/// Controls the fake's vendor.
private struct FakeVendor: FeedbackVendor {
  struct Failure: Error {
    var code: Int
  }

  var service: FakeFeedbackService

  var listener: FeedbackListener {
    service.isVendorTaken ? .stranger : service.isListening ? .service : .nobody
  }

  var loadCount: Int { service.requestedIDs.count }

  func letStrangerListen() { service.isVendorTaken = true }

  func letStrangerLeave() { service.isVendorTaken = false }

  func onLoad(_ body: @escaping @Sendable (VendorLoad) -> Void) {
    service.onLoad { load in
      body(
        VendorLoad(id: load.id, listener: listener) { load.answer(result(of: $0, id: load.id)) })
    }
  }

  private func result(of answer: VendorAnswer, id: String) -> Result<FeedbackForm, any Error> {
    switch answer {
    case .form(let title, let questions):
      .success(FeedbackForm(id: id, title: title, questions: questions))
    case .failure(let code): .failure(Failure(code: code))
    }
  }

  func code(of error: any Error) -> Int? { (error as? Failure)?.code }
}
