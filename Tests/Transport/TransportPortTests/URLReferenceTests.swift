import Testing
import TransportPort

/// The contract has the examples of RFC 3986 §5.4.
@Suite struct URLReferenceTests {
  @Test(arguments: [
    ("x", "http://a", "http://a/x"), ("x//y/../z", "http://a/b", "http://a/x//z"),
    ("?q", "http://a", "http://a?q"), ("/..", "http://a/b", "http://a/"),
    ("1:2", "http://a/b/", "http://a/b/1:2"), ("a//..//b", "http://h/", "http://h/a//b"),
  ])
  func `edge cases resolve by RFC 3986 §5.2`(reference: String, base: String, expected: String) {
    #expect(URLReference(reference).resolved(against: URLReference(base)).text == expected)
  }

  @Test(arguments: ["http://a/b?c#d", "#", "x#", "//h?q#f", "http:"])
  func `the text of a reference is what it was made of`(text: String) {
    #expect(URLReference(text).text == text)
  }
}
