/* Pages about the process itself: /statusz, /flagz, /debug/flags/v and /debug/pprof/.
 *
 * Threads: the server's. */
#ifndef BERTH_LIVE_DEBUG_PAGES_H
#define BERTH_LIVE_DEBUG_PAGES_H

#include <stdbool.h>
#include <stddef.h>

enum { DEBUG_BODY_BYTES = 32 };

/* A page's text, on the heap; NULL: no memory. */
typedef struct debug_page {
    unsigned status; /* of HTTP */
    const char *type;
    char *text;
    size_t length;
} debug_page;

/* What the pages show. */
typedef struct debug_facts {
    long began_s;      /* the server's start, in seconds since 1970 */
    int rules_minor;   /* 37: the rules of 1.37 decide; 0: not known yet */
    bool no_profiles;  /* without /debug/pprof/ */
    const char *flags; /* lines NAME=VALUE; NULL: none */
} debug_facts;

/* Answers `path` if it is one of these pages. `detailed`: with ?debug=1. `body` is what a PUT sent,
 * terminated. */
bool debug_page_find(const debug_facts *facts, const char *method, const char *path, bool detailed,
                     const char *body, debug_page *out);

/* Whether only clients of this host get the page if clients are not authenticated, because it
 * changes something or is expensive. */
bool debug_page_is_local(const char *method, const char *path);

/* Whether a method other than GET and HEAD has a meaning for the path. */
bool debug_page_takes(const char *method, const char *path);

#endif
