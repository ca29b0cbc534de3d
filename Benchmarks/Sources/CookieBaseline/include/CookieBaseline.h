// The statements of CookieSQLiteAdapter in plain C: the baseline of its benchmark.
#ifndef COOKIE_BASELINE_H
#define COOKIE_BASELINE_H

#include <stddef.h>
#include <stdint.h>

typedef struct baseline baseline;

/// A cookie, followed by its NUL-terminated strings in the same allocation.
typedef struct {
  const char *domain, *path, *name, *value;
  size_t domain_length, path_length, name_length, value_length;
  double expires, creation, last_access;
  int64_t sequence;
  int has_expiry, host_only, secure, http_only, same_site;
} baseline_cookie;

/// Opens an existing store with the adapter's settings. Returns NULL on failure.
baseline *baseline_open(const char *path);

void baseline_close(baseline *store);

/// Finds the cookies of a secure, same-site request, in the order of the `Cookie` field.
///
/// The caller frees them with `baseline_free`. The function ignores public suffixes and does not
/// update access times.
///
/// - Parameter domains: The host and its parent domains.
/// - Returns: The number of cookies, or a negative number on failure.
int baseline_match(
    baseline *store, const char *const *domains, int count, const char *path, double now,
    baseline_cookie ***cookies);

void baseline_free(baseline_cookie **cookies, int count);

/// Replaces an existing cookie with that of a `Set-Cookie` value, in one transaction.
///
/// `Expires`, `Max-Age`, `Domain` and `SameSite` are ignored.
///
/// - Returns: SQLITE_OK or an error code.
int baseline_store(baseline *store, const char *line, const char *host, double now);

#endif
