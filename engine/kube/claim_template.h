/* Claims of devices made from ResourceClaimTemplates. */
#ifndef BERTH_KUBE_CLAIM_TEMPLATE_H
#define BERTH_KUBE_CLAIM_TEMPLATE_H

#include "kube/reader_state.h"

/* The fields of a ResourceClaimTemplate (objects/field.h). */
extern const berth__field berth__claim_template_fields[];

berth_status berth__register_claim_template(berth_reader *reader, const berth__item *item);

/* Whether the item's pod specification names a template that may still come. */
bool berth__claim_template_is_awaited(berth_reader *reader, const berth__item *item,
                                      const berth__json *spec);

/* Hand out the claims of a new pod, and name them in its status. New parts are allocated in
 * `arena`. */
berth_status berth__make_claims(berth_reader *reader, const berth__item *item, berth__arena *arena,
                                berth_pod *pod);

#endif
