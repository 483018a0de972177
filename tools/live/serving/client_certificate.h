/* The user that a client's certificate names: its common name, with its organizations as groups.
 *
 * Threads: the server's. */
#ifndef BERTH_LIVE_CLIENT_CERTIFICATE_H
#define BERTH_LIVE_CLIENT_CERTIFICATE_H

#include <gnutls/gnutls.h>
#include <stdbool.h>

enum { CERTIFICATE_NAME_BYTES = 256, CERTIFICATE_GROUPS_MAX = 64 };

typedef struct client_certificate {
    char user[CERTIFICATE_NAME_BYTES]; /* "": there is no certificate, or it names nobody */
    char groups[CERTIFICATE_GROUPS_MAX][CERTIFICATE_NAME_BYTES];
    unsigned group_count;
} client_certificate;

/* Read the certificate of a session. False: there is one, but the client's authorities did not sign
 * it, it has expired, it is not for clients, it names too many groups, or a name is too long or not
 * in UTF-8. */
bool client_certificate_read(gnutls_session_t session, client_certificate *out);

/* Whether a PEM text contains valid certificates of authorities. */
bool client_authority_good(const char *pem);

#endif
