// Constants whose names or types differ between libcurl 7.81 and the newest version.
//
// An option that older headers lack is defined by its number. The number is part of libcurl's ABI
// and never changes (https://curl.se/libcurl/abi.html), so code compiled with older headers can use
// the option with a newer library. An older library returns CURLE_UNKNOWN_OPTION, so only a call at
// run time shows whether an option is supported.

#ifndef CCURL_VERSIONS_H
#define CCURL_VERSIONS_H

#include <curl/curl.h>

#if LIBCURL_VERSION_NUM < 0x075100
#error "libcurl's headers are older than 7.81. Without CURLOPT_PREREQFUNCTION a POST could be sent \
twice, so install libcurl 7.81 or newer."
#endif

// Enumerators in older headers, macros of type long since 8.13 or later.
static const long ccurl_netrc_ignored = CURL_NETRC_IGNORED;
static const long ccurl_ssl_version_tls12 = CURL_SSLVERSION_TLSv1_2;
static const long ccurl_http_version_11 = CURL_HTTP_VERSION_1_1;
static const long ccurl_http_version_2tls = CURL_HTTP_VERSION_2TLS;

// Since 7.84.
static const CURLINFO ccurl_info_cainfo = (CURLINFO)(CURLINFO_STRING + 61);

// Since 8.7.
static const CURLINFO ccurl_info_used_proxy = (CURLINFO)(CURLINFO_LONG + 66);

// The first two are new in 7.85; later headers deprecate the other two, which they replace.
static const CURLoption ccurl_option_protocols_str = (CURLoption)(CURLOPTTYPE_STRINGPOINT + 318);
static const CURLoption ccurl_option_redir_protocols_str =
    (CURLoption)(CURLOPTTYPE_STRINGPOINT + 319);
static const CURLoption ccurl_option_protocols = (CURLoption)(CURLOPTTYPE_LONG + 181);
static const CURLoption ccurl_option_redir_protocols = (CURLoption)(CURLOPTTYPE_LONG + 182);

// Since 7.87.
static const CURLoption ccurl_option_quick_exit = (CURLoption)(CURLOPTTYPE_LONG + 322);

// Since 8.20.
static const CURLMoption ccurl_multi_option_quick_exit = (CURLMoption)(CURLOPTTYPE_LONG + 21);

// Since 8.6.
static const CURLcode ccurl_code_too_large = (CURLcode)100;

// If the headers define the name, it must have the same number.
#if LIBCURL_VERSION_NUM >= 0x075400
_Static_assert(CURLINFO_CAINFO == CURLINFO_STRING + 61, "CURLINFO_CAINFO");
#endif
#if LIBCURL_VERSION_NUM >= 0x080700
_Static_assert(CURLINFO_USED_PROXY == CURLINFO_LONG + 66, "CURLINFO_USED_PROXY");
#endif
#if LIBCURL_VERSION_NUM >= 0x075500
_Static_assert(CURLOPT_PROTOCOLS_STR == CURLOPTTYPE_STRINGPOINT + 318, "CURLOPT_PROTOCOLS_STR");
_Static_assert(
    CURLOPT_REDIR_PROTOCOLS_STR == CURLOPTTYPE_STRINGPOINT + 319, "CURLOPT_REDIR_PROTOCOLS_STR");
#endif
#if LIBCURL_VERSION_NUM >= 0x075700
_Static_assert(CURLOPT_QUICK_EXIT == CURLOPTTYPE_LONG + 322, "CURLOPT_QUICK_EXIT");
#endif
#if LIBCURL_VERSION_NUM >= 0x081400
_Static_assert(CURLMOPT_QUICK_EXIT == CURLOPTTYPE_LONG + 21, "CURLMOPT_QUICK_EXIT");
#endif
#if LIBCURL_VERSION_NUM >= 0x080600
_Static_assert(CURLE_TOO_LARGE == 100, "CURLE_TOO_LARGE");
#endif

#endif
