// The statements of CookieSQLiteAdapter in plain C: what the adapter is measured against.
#ifndef COOKIE_BASELINE_H
#define COOKIE_BASELINE_H

#include <stddef.h>
#include <stdint.h>

typedef struct baseline baseline;

/// A cookie in one allocation, its texts after it, each with a NUL.
typedef struct {
  const char *domain, *path, *name, *value;
  size_t domain_length, path_length, name_length, value_length;
  double expires, creation, last_access;
  int64_t sequence;
  int has_expiry, host_only, secure, http_only, same_site;
} baseline_cookie;

/// Opens a store that exists, with the adapter's settings; NULL if that fails.
baseline *baseline_open(const char *path);

void baseline_close(baseline *store);

/// The cookies of a secure, same-site request, in the order of the header.
///
/// The caller frees them with `baseline_free`. Public suffixes aren't looked at, and accesses
/// aren't noted.
///
/// - Parameter domains: The host, and the domains above it.
/// - Returns: How many there are; a negative number is an error.
int baseline_match(
    baseline *store, const char *const *domains, int count, const char *path, double now,
    baseline_cookie ***cookies);

void baseline_free(baseline_cookie **cookies, int count);

/// Takes the value of a `Set-Cookie` field from a host, in a transaction of its own, in place of a
/// cookie that exists; returns SQLITE_OK or an error.
///
/// `Expires`, `Max-Age`, `Domain` and `SameSite` aren't taken.
int baseline_store(baseline *store, const char *line, const char *host, double now);

#endif
