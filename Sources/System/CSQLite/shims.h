// What Swift can't import of libsqlite3: variadic functions and function-pointer macros.
#ifndef CSQLITE_SHIMS_H
#define CSQLITE_SHIMS_H

#include <sqlite3.h>

/// Sets a Boolean option of a connection; returns a result code.
static inline int csqlite_set_option(sqlite3 *database, int option, int value) {
  return sqlite3_db_config(database, option, value, (int *)0);
}

/// Binds a copy of some text; returns a result code.
///
/// A null pointer of length 0 binds the empty text, where SQLite would bind NULL.
static inline int csqlite_bind_text(
    sqlite3_stmt *statement, int index, const unsigned char *text, sqlite3_uint64 length) {
  return sqlite3_bind_text64(
      statement, index, text ? (const char *)text : "", length, SQLITE_TRANSIENT, SQLITE_UTF8);
}

/// Binds text that the caller keeps alive and unchanged until the statement is reset.
static inline int csqlite_bind_borrowed_text(
    sqlite3_stmt *statement, int index, const unsigned char *text, sqlite3_uint64 length) {
  return sqlite3_bind_text64(
      statement, index, text ? (const char *)text : "", length, SQLITE_STATIC, SQLITE_UTF8);
}

#endif
