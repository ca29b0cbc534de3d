public import CookiePort
public import Foundation

/// Stands for the store of the README's reader.
public func MyStore(
  in directory: URL, policy: CookiePolicy, now: @escaping @Sendable () -> Date
) throws -> InMemoryCookieStore {
  InMemoryCookieStore(policy: policy, now: now)
}
