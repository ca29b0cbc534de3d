// Constants whose names or types differ between libcurl 7.81 and the newest version.
//
// An option that older headers lack is written as its number. The number is part of libcurl's
// binary interface and never changes (https://curl.se/libcurl/abi.html), so code that was compiled
// with older headers uses such an option when it runs with a newer library. An older library
// returns CURLE_UNKNOWN_OPTION. Whether an option works is therefore known only at run time.

#ifndef CCURL_VERSIONS_H
#define CCURL_VERSIONS_H

#include <curl/curl.h>

#if LIBCURL_VERSION_NUM < 0x075100
#error "libcurl's headers are older than 7.81. Without CURLOPT_PREREQFUNCTION a POST could be sent \
twice, so install libcurl 7.81 or newer."
#endif

// Macros of type long since 8.13 or later, enumerators before.
static const long ccurl_netrc_ignored = CURL_NETRC_IGNORED;
static const long ccurl_ssl_version_tls12 = CURL_SSLVERSION_TLSv1_2;
static const long ccurl_http_version_11 = CURL_HTTP_VERSION_1_1;
static const long ccurl_http_version_2tls = CURL_HTTP_VERSION_2TLS;

// Since 7.84.
static const CURLINFO ccurl_info_cainfo = (CURLINFO)(CURLINFO_STRING + 61);

// Since 7.85, instead of the two below, which later headers mark as deprecated.
static const CURLoption ccurl_option_protocols_str = (CURLoption)(CURLOPTTYPE_STRINGPOINT + 318);
static const CURLoption ccurl_option_redir_protocols_str =
    (CURLoption)(CURLOPTTYPE_STRINGPOINT + 319);
static const CURLoption ccurl_option_protocols = (CURLoption)(CURLOPTTYPE_LONG + 181);
static const CURLoption ccurl_option_redir_protocols = (CURLoption)(CURLOPTTYPE_LONG + 182);

// Since 7.87.
static const CURLoption ccurl_option_quick_exit = (CURLoption)(CURLOPTTYPE_LONG + 322);

// Since 8.6.
static const CURLcode ccurl_code_too_large = (CURLcode)100;

// Where the headers have the name, it must stand for the same number.
#if LIBCURL_VERSION_NUM >= 0x075400
_Static_assert(CURLINFO_CAINFO == CURLINFO_STRING + 61, "CURLINFO_CAINFO");
#endif
#if LIBCURL_VERSION_NUM >= 0x075500
_Static_assert(CURLOPT_PROTOCOLS_STR == CURLOPTTYPE_STRINGPOINT + 318, "CURLOPT_PROTOCOLS_STR");
_Static_assert(
    CURLOPT_REDIR_PROTOCOLS_STR == CURLOPTTYPE_STRINGPOINT + 319, "CURLOPT_REDIR_PROTOCOLS_STR");
#endif
#if LIBCURL_VERSION_NUM >= 0x075700
_Static_assert(CURLOPT_QUICK_EXIT == CURLOPTTYPE_LONG + 322, "CURLOPT_QUICK_EXIT");
#endif
#if LIBCURL_VERSION_NUM >= 0x080600
_Static_assert(CURLE_TOO_LARGE == 100, "CURLE_TOO_LARGE");
#endif

#endif
