// OpenSSL's macros and variadic functions, which Swift cannot import, as plain functions.

#ifndef COPENSSL_SHIM_H
#define COPENSSL_SHIM_H

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

/// A new key on the curve P-256.
static inline EVP_PKEY *copenssl_new_key(void) { return EVP_EC_gen("P-256"); }

/// The contents of a memory BIO; the pointer lives as long as the BIO.
static inline long copenssl_bio_contents(BIO *bio, char **data) {
  return BIO_get_mem_data(bio, data);
}

/// Adds an extension by its name and OpenSSL's own syntax for values.
static inline int copenssl_add_extension(X509 *certificate, int nid, const char *value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, certificate, certificate, 0, 0, 0);
  X509_EXTENSION *extension = X509V3_EXT_conf_nid(0, &context, nid, value);
  if (!extension) return 0;
  int added = X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
  return added;
}

/// Limits the versions of TLS that a context speaks.
static inline int copenssl_set_versions(SSL_CTX *context, int lowest, int highest) {
  return SSL_CTX_set_min_proto_version(context, lowest)
    && SSL_CTX_set_max_proto_version(context, highest);
}

static inline int copenssl_choose_protocol(
    SSL *ssl, const unsigned char **chosen, unsigned char *count, const unsigned char *offered,
    unsigned int offered_count, void *context) {
  static const unsigned char spoken[] = "\x02h2\x08http/1.1";
  int result = SSL_select_next_proto(
      (unsigned char **)chosen, count, spoken, sizeof(spoken) - 1, offered, offered_count);
  return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
}

/// Makes a server choose HTTP/2 where the client offers it, by ALPN.
static inline void copenssl_prefer_http2(SSL_CTX *context) {
  SSL_CTX_set_alpn_select_cb(context, copenssl_choose_protocol, 0);
}

/// Whether HTTP/2 was agreed on.
static inline int copenssl_speaks_http2(SSL *ssl) {
  const unsigned char *name = 0;
  unsigned int count = 0;
  SSL_get0_alpn_selected(ssl, &name, &count);
  return count == 2 && name[0] == 'h' && name[1] == '2';
}

/// Sets the lowest version of TLS that a connection speaks.
static inline int copenssl_set_lowest_version(SSL *ssl, int lowest) {
  return SSL_set_min_proto_version(ssl, lowest);
}

/// Lets writes be partial and retried from another buffer.
static inline long copenssl_set_write_modes(SSL *ssl) {
  return SSL_set_mode(ssl, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
}

#endif
