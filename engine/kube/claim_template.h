/* Claims of devices that pods get from ResourceClaimTemplates. */
#ifndef BERTH_KUBE_CLAIM_TEMPLATE_H
#define BERTH_KUBE_CLAIM_TEMPLATE_H

#include "kube/reader_state.h"

berth_status berth__register_claim_template(berth_reader *reader, const berth__item *item);

/* Whether a template that the item's pod specification names may still come. */
bool berth__claim_template_is_awaited(berth_reader *reader, const berth__item *item,
                                      const berth__json *spec);

/* Hand out the claims of a pod that is about to be, and name them in its status. New parts go to
 * `arena`. */
berth_status berth__make_claims(berth_reader *reader, const berth__item *item, berth__arena *arena,
                                berth_pod *pod);

#endif
