#ifndef FOOTFALL_COPENSSL_SHIM_H
#define FOOTFALL_COPENSSL_SHIM_H
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

/* All of these because Swift imports no macro that takes arguments. */

static inline int footfall_ssl_set_min_protocol(SSL_CTX *context, int version) {
  return (int)SSL_CTX_set_min_proto_version(context, version);
}
static inline void footfall_ssl_set_mode(SSL_CTX *context, long mode) { SSL_CTX_set_mode(context, mode); }
static inline void footfall_ssl_set_session_cache(SSL_CTX *context, long mode) {
  SSL_CTX_set_session_cache_mode(context, mode);
}
static inline int footfall_ssl_set_server_name(SSL *ssl, const char *name) {
  return (int)SSL_set_tlsext_host_name(ssl, name);
}
static inline void footfall_ssl_set_owner(SSL *ssl, void *owner) { SSL_set_app_data(ssl, owner); }
static inline void *footfall_ssl_owner(const SSL *ssl) { return SSL_get_app_data(ssl); }
static inline int footfall_ssl_add_chain_certificate(SSL_CTX *context, X509 *certificate) {
  return (int)SSL_CTX_add1_chain_cert(context, certificate);
}
static inline void footfall_bio_wait_for_input(BIO *bio) { BIO_set_retry_read(bio); }
static inline void footfall_bio_clear_retry(BIO *bio) { BIO_clear_retry_flags(bio); }
static inline int footfall_general_name_count(const GENERAL_NAMES *names) { return sk_GENERAL_NAME_num(names); }
static inline const GENERAL_NAME *footfall_general_name(const GENERAL_NAMES *names, int index) {
  return sk_GENERAL_NAME_value(names, index);
}
/* Because the release of a stack is a macro over its type, too. */
static inline void footfall_general_names_free(GENERAL_NAMES *names) { GENERAL_NAMES_free(names); }

/* Because these options are built by a macro: no compression (CRIME), no renegotiation. */
static inline uint64_t footfall_ssl_options(void) { return SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION; }

/* Because a union inside a struct is awkward and unchecked in Swift: the bytes of a DNS name or an IP address, or NULL
   for names of other kinds. */
static inline const unsigned char *footfall_general_name_bytes(const GENERAL_NAME *name, int *kind, int *length) {
  const ASN1_STRING *string = NULL;
  *kind = name->type;
  if (name->type == GEN_DNS) string = name->d.dNSName;
  if (name->type == GEN_IPADD) string = name->d.iPAddress;
  if (string == NULL) return NULL;
  *length = ASN1_STRING_length(string);
  return ASN1_STRING_get0_data(string);
}
#endif
