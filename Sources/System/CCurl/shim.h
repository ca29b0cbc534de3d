// Typed wrappers for libcurl's variadic functions, which Swift cannot import.

#ifndef CCURL_SHIM_H
#define CCURL_SHIM_H

#include <curl/curl.h>
#include <unistd.h>

#include "versions.h"

static inline CURLcode ccurl_set_long(CURL *handle, CURLoption option, long value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_offset(CURL *handle, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_string(CURL *handle, CURLoption option, const char *value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_pointer(CURL *handle, CURLoption option, void *value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_list(
    CURL *handle, CURLoption option, struct curl_slist *value) {
  return curl_easy_setopt(handle, option, value);
}

/// Sets an option to a copy of the bytes.
static inline CURLcode ccurl_set_bytes(
    CURL *handle, CURLoption option, const void *bytes, size_t count) {
  struct curl_blob blob = {(void *)bytes, count, CURL_BLOB_COPY};
  return curl_easy_setopt(handle, option, &blob);
}

/// What a callback receives as its user data, which must be set before the callback.
typedef void *_Nonnull ccurl_user_data;

/// Sets CURLOPT_HEADERFUNCTION or CURLOPT_WRITEFUNCTION.
static inline CURLcode ccurl_set_write(
    CURL *handle, CURLoption option,
    size_t (*function)(char *, size_t, size_t, ccurl_user_data)) {
  return curl_easy_setopt(handle, option, function);
}

static inline CURLcode ccurl_set_read(
    CURL *handle, size_t (*function)(char *, size_t, size_t, ccurl_user_data)) {
  return curl_easy_setopt(handle, CURLOPT_READFUNCTION, function);
}

static inline CURLcode ccurl_set_seek(
    CURL *handle, int (*function)(ccurl_user_data, curl_off_t, int)) {
  return curl_easy_setopt(handle, CURLOPT_SEEKFUNCTION, function);
}

static inline CURLcode ccurl_set_prerequest(
    CURL *handle,
    int (*function)(ccurl_user_data, char *_Nonnull, char *_Nonnull, int, int)) {
  return curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, function);
}

static inline CURLcode ccurl_set_socket_opening(
    CURL *handle,
    curl_socket_t (*function)(
        ccurl_user_data, curlsocktype, struct curl_sockaddr *_Nonnull)) {
  return curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, function);
}

static inline CURLcode ccurl_set_socket_closing(
    CURL *handle, int (*function)(ccurl_user_data, curl_socket_t)) {
  return curl_easy_setopt(handle, CURLOPT_CLOSESOCKETFUNCTION, function);
}

static inline CURLcode ccurl_set_debug(
    CURL *handle, int (*function)(CURL *, curl_infotype, char *, size_t, ccurl_user_data)) {
  return curl_easy_setopt(handle, CURLOPT_DEBUGFUNCTION, function);
}

static inline CURLcode ccurl_set_progress(
    CURL *handle, int (*function)(ccurl_user_data, curl_off_t, curl_off_t, curl_off_t, curl_off_t)) {
  return curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, function);
}

static inline CURLcode ccurl_set_trailer(
    CURL *handle, int (*function)(struct curl_slist *_Nullable *_Nonnull, ccurl_user_data)) {
  return curl_easy_setopt(handle, CURLOPT_TRAILERFUNCTION, function);
}

static inline long ccurl_long(CURL *handle, CURLINFO info) {
  long value = 0;
  curl_easy_getinfo(handle, info, &value);
  return value;
}

static inline curl_off_t ccurl_offset(CURL *handle, CURLINFO info) {
  curl_off_t value = 0;
  curl_easy_getinfo(handle, info, &value);
  return value;
}

/// Returns a text that libcurl owns as long as the handle lives, or null.
static inline const char *ccurl_text(CURL *handle, CURLINFO info) {
  char *value = 0;
  curl_easy_getinfo(handle, info, &value);
  return value;
}

/// Returns the cookies of a handle as lines of a Netscape file, which the caller frees, or null.
static inline struct curl_slist *ccurl_cookies(CURL *handle) {
  struct curl_slist *value = 0;
  curl_easy_getinfo(handle, CURLINFO_COOKIELIST, &value);
  return value;
}

/// Returns the path of libcurl's default certificate bundle; null if unreadable or before 7.84.
static inline const char *ccurl_readable_bundle(CURL *handle) {
  const char *path = ccurl_text(handle, ccurl_info_cainfo);
  return path && access(path, R_OK) == 0 ? path : 0;
}

static inline void *ccurl_private(CURL *handle) {
  char *value = 0;
  curl_easy_getinfo(handle, CURLINFO_PRIVATE, &value);
  return value;
}

/// Returns OpenSSL's `SSL` of the current connection, or null without TLS or with another library.
static inline void *ccurl_openssl_session(CURL *handle) {
  struct curl_tlssessioninfo *session = 0;
  if (curl_easy_getinfo(handle, CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK || !session) return 0;
  return session->backend == CURLSSLBACKEND_OPENSSL ? session->internals : 0;
}

static inline CURLMcode ccurl_set_multi(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}

/// Returns the next finished transfer and its result, or null.
static inline CURL *ccurl_next_finished(CURLM *multi, CURLcode *result) {
  int left = 0;
  CURLMsg *message;
  while ((message = curl_multi_info_read(multi, &left))) {
    if (message->msg != CURLMSG_DONE) continue;
    *result = message->data.result;
    return message->easy_handle;
  }
  return 0;
}

#endif
