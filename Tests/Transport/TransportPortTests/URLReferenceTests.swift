import Testing
import TransportPort

@Suite struct URLReferenceTests {
  /// The examples of RFC 3986 §5.4, apart from those that keep the base's fragment.
  @Test(arguments: [
    ("g:h", "g:h"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
    ("/g", "http://a/g"), ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"),
    ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q#s"), ("g#s", "http://a/b/c/g#s"),
    ("g?y#s", "http://a/b/c/g?y#s"), (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"),
    ("g;x?y#s", "http://a/b/c/g;x?y#s"), ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"),
    ("./", "http://a/b/c/"), ("..", "http://a/b/"), ("../", "http://a/b/"),
    ("../g", "http://a/b/g"),
    ("../..", "http://a/"), ("../../", "http://a/"), ("../../g", "http://a/g"),
    ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"), ("/./g", "http://a/g"),
    ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"),
    ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"),
    ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"),
    ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g;x=1/../y", "http://a/b/c/y"),
    ("g?y/./x", "http://a/b/c/g?y/./x"), ("g?y/../x", "http://a/b/c/g?y/../x"),
    ("g#s/./x", "http://a/b/c/g#s/./x"), ("http:g", "http:g"),
  ])
  func `references resolve as in RFC 3986 §5.4`(reference: String, expected: String) {
    let base = URLReference("http://a/b/c/d;p?q")
    #expect(URLReference(reference).resolved(against: base).text == expected)
  }

  @Test(arguments: [
    ("x", "http://a", "http://a/x"), ("x//y/../z", "http://a/b", "http://a/x//z"),
    ("?q", "http://a", "http://a?q"), ("/..", "http://a/b", "http://a/"),
    ("1:2", "http://a/b/", "http://a/b/1:2"), ("a//..//b", "http://h/", "http://h/a//b"),
  ])
  func `edge cases resolve by RFC 3986 §5.2`(reference: String, base: String, expected: String) {
    #expect(URLReference(reference).resolved(against: URLReference(base)).text == expected)
  }
}
