import Foundation
import SeededRandom
import Testing
import TransportPort

@testable import TransportRecording

/// Each rule is needed: without it a secret is written.
@Suite struct RedactionRuleTests {
  /// Whether a secret is in the file that is recorded without a rule, or none.
  private static func isWritten(
    _ secret: String, in place: SecretPlace, without rule: RedactionRule? = nil
  ) async throws -> Bool {
    var redaction = Redaction()
    redaction.missing = rule
    guard
      case .success(let file) = try await DefaultRedactionTests.record(
        [place], redacting: redaction)
    else { return false }
    var exposed = ExposedText(secret)
    return exposed.isIn(file)
  }

  @Test func `a secret in an odd place is not written, and is without its reader`() async throws {
    for witness in SecretWitness.readers + SecretWitness.others {
      let name = witness.place.name
      #expect(try await !Self.isWritten(witness.secret, in: witness.place), "\(name)")
      guard let reader = witness.reader else { continue }
      let isNeeded = try await Self.isWritten(
        witness.secret, in: witness.place, without: .reader(reader))
      #expect(isNeeded, "\(reader) is not needed for \(name)")
    }
    #expect(Set(SecretWitness.readers.map(\.reader)) == Set(RedactionRule.Reader.allCases))
  }

  /// In a picture no random word is suspected, so that only shapes tell.
  private static func picture(with secret: String) -> SecretPlace {
    SecretPlace(
      name: "picture",
      answer: .respond(
        headerFields: [.contentType: "image/jpeg"], body: [0xFF, 0xD8] + Array(" \(secret) ".utf8)))
  }

  @Test func `every shape is needed`() async throws {
    var generator = SplitMix64(seed: 6)
    var secrets: [(rule: String, secret: String)] = SecretShape.all.map { shape in
      (String(decoding: shape.prefix, as: UTF8.self), shape.sample(&generator))
    }
    for kind in SecretKind.all {
      for rule in ["a JWT", "a Discord token", "a Telegram token", "a Mailchimp key"]
      where kind.rule == rule {
        secrets.append((rule, kind.value))
      }
    }
    secrets.append(("a card number", "4242 4242 4242 4242"))
    for (rule, secret) in secrets {
      let place = Self.picture(with: secret)
      let part = String(secret.suffix(12))
      #expect(try await !Self.isWritten(part, in: place), "\(rule)")
      let isNeeded = try await Self.isWritten(part, in: place, without: .shape(rule))
      #expect(isNeeded, "\(rule) is not needed for \(secret)")
    }
    #expect(secrets.count >= SecretShape.all.count + 5)
  }

  @Test func `every word of the names is needed`() async throws {
    let rules = SecretName.rules
    #expect(Set(rules.secret + rules.possible).count == rules.secret.count + rules.possible.count)
    for (prefix, words, secret) in [
      ("my_", rules.secret, "hunter2x"), ("", rules.possible, "a1b2c3d4e5"),
    ] {
      for word in words {
        let name =
          (prefix + word).addingPercentEncoding(withAllowedCharacters: .urlHostAllowed) ?? ""
        let request = HTTPRequest(url: "http://h/?\(name)=\(secret)")
        let place = SecretPlace(name: word, request: request)
        #expect(try await !Self.isWritten(secret, in: place), "\(word)")
        let isNeeded = try await Self.isWritten(secret, in: place, without: .name(word))
        #expect(isNeeded, "\(word) is not needed")
      }
    }
  }
}

extension SecretShape {
  /// A secret of the shape.
  fileprivate func sample(_ generator: inout SplitMix64) -> String {
    let all = (UInt8(0x30)...0x7A).filter { alphabet.contains($0) && ($0.isLetter || $0.isDigit) }
    let rest = (0..<minimum + 12).map { _ in all.randomElement(using: &generator) ?? 0x30 }
    return String(decoding: prefix + rest, as: UTF8.self)
  }
}
