// Functions for OpenSSL's macros and callbacks, which Swift cannot import.

#ifndef COPENSSL_SHIM_H
#define COPENSSL_SHIM_H

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

/// Creates a key on the curve P-256.
static inline EVP_PKEY *copenssl_new_key(void) { return EVP_EC_gen("P-256"); }

/// Returns the size and address of a memory BIO's contents, which are valid as long as the BIO.
static inline long copenssl_bio_contents(BIO *bio, char **data) {
  return BIO_get_mem_data(bio, data);
}

/// Adds an extension whose value is in OpenSSL's configuration syntax. Returns 1 on success.
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

/// Sets the lowest and highest TLS version of a context.
static inline int copenssl_set_versions(SSL_CTX *context, int lowest, int highest) {
  return SSL_CTX_set_min_proto_version(context, lowest)
    && SSL_CTX_set_max_proto_version(context, highest);
}

// ALPN callback; its list of protocols has a length byte before each name.
static inline int copenssl_choose_protocol(
    SSL *ssl, const unsigned char **chosen, unsigned char *count, const unsigned char *offered,
    unsigned int offered_count, void *context) {
  static const unsigned char spoken[] = "\x02h2\x08http/1.1";
  int result = SSL_select_next_proto(
      (unsigned char **)chosen, count, spoken, sizeof(spoken) - 1, offered, offered_count);
  return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
}

/// Makes a server select HTTP/2 by ALPN if the client offers it, and HTTP/1.1 otherwise.
static inline void copenssl_prefer_http2(SSL_CTX *context) {
  SSL_CTX_set_alpn_select_cb(context, copenssl_choose_protocol, 0);
}

/// Returns whether ALPN selected HTTP/2.
static inline int copenssl_speaks_http2(SSL *ssl) {
  const unsigned char *name = 0;
  unsigned int count = 0;
  SSL_get0_alpn_selected(ssl, &name, &count);
  return count == 2 && name[0] == 'h' && name[1] == '2';
}

/// Allows partial writes, and retries of a write from a different buffer.
static inline long copenssl_set_write_modes(SSL *ssl) {
  return SSL_set_mode(ssl, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
}

#endif
