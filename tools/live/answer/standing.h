/* What an API server applies to the pods that it creates: PriorityClasses, RuntimeClasses,
 * LimitRanges, ResourceQuotas, and ResourceClaimTemplates. They are listed again from time to time,
 * because no decision reads them: only pods that do not exist yet need them.
 *
 * Threads: the loop's, except standing_take and standing_drop. */
#ifndef BERTH_LIVE_STANDING_H
#define BERTH_LIVE_STANDING_H

#include "live/transport/transport.h"

typedef struct standing standing;

/* One state of these objects, as the text of a List. */
typedef struct standing_text standing_text;

/* `minor`: of the server. Calls `listed` when all were listed for the first time. Owner:
 * `transport` outlives it. */
standing *standing_create(const live_transport *transport, int minor, void (*listed)(void *context),
                          void *context);
void standing_start(standing *s);
void standing_stop(standing *s);
/* Accepts NULL. Call it when every text was dropped. */
void standing_destroy(standing *s);

/* The newest state. Owner: the caller drops it. */
standing_text *standing_take(standing *s);
berth_str standing_words(const standing_text *text);
void standing_drop(standing *s, standing_text *text);

#endif
