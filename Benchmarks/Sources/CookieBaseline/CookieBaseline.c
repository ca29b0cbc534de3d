#include "CookieBaseline.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define COLUMNS \
  "domain, path, name, host_only, value, expires, secure, http_only, same_site, creation, " \
  "last_access, sequence"

struct baseline {
  sqlite3 *database;
  sqlite3_stmt *begin, *begin_immediate, *commit, *select_domain, *select_same, *select_tally;
  sqlite3_stmt *upsert;
};

static int prepare(baseline *store, const char *sql, sqlite3_stmt **statement) {
  return sqlite3_prepare_v3(
      store->database, sql, -1, SQLITE_PREPARE_PERSISTENT, statement, NULL);
}

baseline *baseline_open(const char *path) {
  baseline *store = calloc(1, sizeof(baseline));
  if (!store) return NULL;
  int failed =
      sqlite3_open_v2(
          path, &store->database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL)
      || sqlite3_exec(
          store->database, "PRAGMA synchronous = NORMAL; PRAGMA cell_size_check = ON", NULL, NULL,
          NULL)
      || prepare(store, "BEGIN", &store->begin)
      || prepare(store, "BEGIN IMMEDIATE", &store->begin_immediate)
      || prepare(store, "COMMIT", &store->commit)
      || prepare(
          store, "SELECT " COLUMNS " FROM cookie WHERE domain = ?1", &store->select_domain)
      || prepare(
          store,
          "SELECT " COLUMNS " FROM cookie WHERE domain = ?1 AND path = ?2 AND name = ?3",
          &store->select_same)
      || prepare(
          store,
          "SELECT cookies, last_sequence, latest_creation, earliest_expiry FROM tally "
          "WHERE id = 1",
          &store->select_tally)
      || prepare(
          store,
          "INSERT INTO cookie (" COLUMNS ") "
          "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12) "
          "ON CONFLICT DO UPDATE SET value = ?5, expires = ?6, secure = ?7, http_only = ?8, "
          "same_site = ?9, creation = ?10, last_access = ?11, sequence = ?12",
          &store->upsert);
  if (failed) {
    baseline_close(store);
    return NULL;
  }
  return store;
}

void baseline_close(baseline *store) {
  if (!store) return;
  sqlite3_stmt *statement;
  while (store->database && (statement = sqlite3_next_stmt(store->database, NULL)))
    sqlite3_finalize(statement);
  sqlite3_close(store->database);
  free(store);
}

static int run(sqlite3_stmt *statement) {
  int code;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
  }
  sqlite3_reset(statement);
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

static const char *copy(char **next, const void *text, size_t length) {
  char *start = *next;
  memcpy(start, text, length);
  start[length] = 0;
  *next += length + 1;
  return start;
}

/// Copies the current row of a statement into one allocation.
static baseline_cookie *read_row(sqlite3_stmt *statement) {
  const unsigned char *domain = sqlite3_column_text(statement, 0);
  const unsigned char *path = sqlite3_column_text(statement, 1);
  const unsigned char *name = sqlite3_column_text(statement, 2);
  const unsigned char *value = sqlite3_column_text(statement, 4);
  if (!domain || !path || !name || !value) return NULL;
  size_t domain_length = (size_t)sqlite3_column_bytes(statement, 0);
  size_t path_length = (size_t)sqlite3_column_bytes(statement, 1);
  size_t name_length = (size_t)sqlite3_column_bytes(statement, 2);
  size_t value_length = (size_t)sqlite3_column_bytes(statement, 4);
  baseline_cookie *cookie = malloc(
      sizeof(baseline_cookie) + domain_length + path_length + name_length + value_length + 4);
  if (!cookie) return NULL;
  char *next = (char *)(cookie + 1);
  cookie->domain = copy(&next, domain, domain_length);
  cookie->path = copy(&next, path, path_length);
  cookie->name = copy(&next, name, name_length);
  cookie->value = copy(&next, value, value_length);
  cookie->domain_length = domain_length;
  cookie->path_length = path_length;
  cookie->name_length = name_length;
  cookie->value_length = value_length;
  cookie->host_only = sqlite3_column_int(statement, 3);
  cookie->has_expiry = sqlite3_column_type(statement, 5) != SQLITE_NULL;
  cookie->expires = sqlite3_column_double(statement, 5);
  cookie->secure = sqlite3_column_int(statement, 6);
  cookie->http_only = sqlite3_column_int(statement, 7);
  cookie->same_site = sqlite3_column_int(statement, 8);
  cookie->creation = sqlite3_column_double(statement, 9);
  cookie->last_access = sqlite3_column_double(statement, 10);
  cookie->sequence = sqlite3_column_int64(statement, 11);
  return cookie;
}

/// Whether a request for a path sends the cookie in the current row of a statement.
static int is_sent(
    sqlite3_stmt *statement, int is_host, const char *path, size_t path_length, double now) {
  if (!is_host && sqlite3_column_int(statement, 3)) return 0;
  if (sqlite3_column_type(statement, 5) != SQLITE_NULL
      && sqlite3_column_double(statement, 5) <= now)
    return 0;
  const unsigned char *own = sqlite3_column_text(statement, 1);
  size_t length = (size_t)sqlite3_column_bytes(statement, 1);
  if (!own || length > path_length || memcmp(own, path, length) != 0) return 0;
  return length == path_length || own[length - 1] == '/' || path[length] == '/';
}

/// Whether a cookie precedes another in the `Cookie` field.
static int precedes(const baseline_cookie *one, const baseline_cookie *other) {
  if (one->path_length != other->path_length) return one->path_length > other->path_length;
  if (one->creation != other->creation) return one->creation < other->creation;
  return one->sequence < other->sequence;
}

int baseline_match(
    baseline *store, const char *const *domains, int count, const char *path, double now,
    baseline_cookie ***result) {
  size_t path_length = strlen(path);
  int found = 0, capacity = 16;
  baseline_cookie **cookies = malloc((size_t)capacity * sizeof(*cookies));
  if (!cookies || run(store->begin)) return -1;
  for (int index = 0; index < count; index++) {
    sqlite3_stmt *statement = store->select_domain;
    sqlite3_bind_text(statement, 1, domains[index], -1, SQLITE_STATIC);
    while (sqlite3_step(statement) == SQLITE_ROW) {
      if (!is_sent(statement, index == 0, path, path_length, now)) continue;
      if (found == capacity) {
        capacity *= 2;
        cookies = realloc(cookies, (size_t)capacity * sizeof(*cookies));
        if (!cookies) return -2;
      }
      baseline_cookie *cookie = read_row(statement);
      if (!cookie) return -3;
      // Insertion sort is the fastest for so few cookies.
      int position = found++;
      for (; position > 0 && precedes(cookie, cookies[position - 1]); position--)
        cookies[position] = cookies[position - 1];
      cookies[position] = cookie;
    }
    if (sqlite3_reset(statement)) return -4;
  }
  *result = cookies;
  return run(store->commit) ? -5 : found;
}

void baseline_free(baseline_cookie **cookies, int count) {
  for (int index = 0; index < count; index++) free(cookies[index]);
  free(cookies);
}

/// A part of a string, without a NUL.
typedef struct {
  const char *start;
  size_t length;
} span;

static span trimmed(const char *start, const char *end) {
  while (start < end && (*start == ' ' || *start == '\t')) start++;
  while (end > start && (end[-1] == ' ' || end[-1] == '\t')) end--;
  return (span){start, (size_t)(end - start)};
}

static int is_named(span text, const char *name) {
  return text.length == strlen(name) && strncasecmp(text.start, name, text.length) == 0;
}

/// The parsed parts of a `Set-Cookie` value.
typedef struct {
  span name, value, path;
  int secure, http_only;
} set_cookie;

static int parse(const char *line, set_cookie *result) {
  const char *end = line;
  for (; *end; end++)
    if (((unsigned char)*end < 0x20 && *end != '\t') || *end == 0x7f) return SQLITE_MISUSE;
  *result = (set_cookie){.path = {"/", 1}};
  int is_pair = 1;
  for (const char *part = line; part < end; is_pair = 0) {
    const char *stop = memchr(part, ';', (size_t)(end - part));
    if (!stop) stop = end;
    const char *sign = memchr(part, '=', (size_t)(stop - part));
    span name = trimmed(part, sign ? sign : stop);
    span value = sign ? trimmed(sign + 1, stop) : (span){stop, 0};
    if (is_pair) {
      result->name = sign ? name : value;
      result->value = sign ? value : name;
    } else if (is_named(name, "Path")) {
      if (value.length > 0 && *value.start == '/') result->path = value;
    } else if (is_named(name, "Secure")) {
      result->secure = 1;
    } else if (is_named(name, "HttpOnly")) {
      result->http_only = 1;
    }
    part = stop + 1;
  }
  return SQLITE_OK;
}

static void bind_span(sqlite3_stmt *statement, int index, span text) {
  sqlite3_bind_text(statement, index, text.start, (int)text.length, SQLITE_STATIC);
}

int baseline_store(baseline *store, const char *line, const char *host, double now) {
  set_cookie cookie;
  int code = parse(line, &cookie);
  if (code) return code;
  code = run(store->begin_immediate);
  if (code) return code;
  if (sqlite3_step(store->select_tally) != SQLITE_ROW) return SQLITE_CORRUPT;
  sqlite3_reset(store->select_tally);

  sqlite3_stmt *same = store->select_same;
  sqlite3_bind_text(same, 1, host, -1, SQLITE_STATIC);
  bind_span(same, 2, cookie.path);
  bind_span(same, 3, cookie.name);
  baseline_cookie *old = sqlite3_step(same) == SQLITE_ROW ? read_row(same) : NULL;
  if (!old) return SQLITE_CORRUPT;
  sqlite3_reset(same);

  sqlite3_stmt *upsert = store->upsert;
  sqlite3_bind_text(upsert, 1, host, -1, SQLITE_STATIC);
  bind_span(upsert, 2, cookie.path);
  bind_span(upsert, 3, cookie.name);
  sqlite3_bind_int(upsert, 4, 1);
  bind_span(upsert, 5, cookie.value);
  sqlite3_bind_null(upsert, 6);
  sqlite3_bind_int(upsert, 7, cookie.secure);
  sqlite3_bind_int(upsert, 8, cookie.http_only);
  sqlite3_bind_int(upsert, 9, 0);
  sqlite3_bind_double(upsert, 10, old->creation);
  sqlite3_bind_double(upsert, 11, now);
  sqlite3_bind_int64(upsert, 12, old->sequence);
  code = run(upsert);
  free(old);
  return code ? code : run(store->commit);
}
