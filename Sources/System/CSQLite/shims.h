// Wrappers for variadic functions and function-pointer macros of libsqlite3, which Swift can't
// import.
#ifndef CSQLITE_SHIMS_H
#define CSQLITE_SHIMS_H

#include <sqlite3.h>
#include <stdbool.h>

/// The file ends inside a page.
static const int csqlite_short_read = SQLITE_IOERR_SHORT_READ;

/// Sets a Boolean option of a connection and returns a result code.
static inline int csqlite_set_option(sqlite3 *database, int option, bool value) {
  return sqlite3_db_config(database, option, value, (int *)0);
}

/// Binds a copy of a text and returns a result code.
///
/// A null pointer binds empty text; SQLite alone would bind NULL.
static inline int csqlite_bind_text(
    sqlite3_stmt *statement, int index, const unsigned char *text, sqlite3_uint64 length) {
  return sqlite3_bind_text64(
      statement, index, text ? (const char *)text : "", length, SQLITE_TRANSIENT, SQLITE_UTF8);
}

/// Binds a copy of bytes and returns a result code.
///
/// A null pointer binds no bytes; SQLite alone would bind NULL.
static inline int csqlite_bind_blob(
    sqlite3_stmt *statement, int index, const unsigned char *bytes, sqlite3_uint64 length) {
  return sqlite3_bind_blob64(
      statement, index, bytes ? (const void *)bytes : "", length, SQLITE_TRANSIENT);
}

/// Binds text that stays where it is until the statement is reset.
static inline int csqlite_bind_static_text(
    sqlite3_stmt *statement, int index, const unsigned char *text, sqlite3_uint64 length) {
  return sqlite3_bind_text64(
      statement, index, text ? (const char *)text : "", length, SQLITE_STATIC, SQLITE_UTF8);
}

#endif
