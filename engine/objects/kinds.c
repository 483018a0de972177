/* Names of the kinds of objects, in Kubernetes' spelling. */
#include "berth/objects.h"

const char *berth_kind_name(berth_kind kind)
{
    static const char *const names[] = {
#define X(name, member, type, text) text,
        BERTH_KIND_LIST(X)
#undef X
    };
    return (unsigned)kind < BERTH_KIND_COUNT ? names[kind] : "?";
}
