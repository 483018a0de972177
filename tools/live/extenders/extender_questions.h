/* The JSON texts of questions to extenders, in the form of k8s.io/kube-scheduler/extender/v1. */
#ifndef BERTH_LIVE_EXTENDER_QUESTIONS_H
#define BERTH_LIVE_EXTENDER_QUESTIONS_H

#include "berth/berth.h"
#include "live/extenders/object_texts.h"

/* What questions are made from. */
typedef struct extender_world {
    const berth_engine *engine; /* for names */
    object_texts *texts;
} extender_world;

/* A text that is freed by extender_question_free. */
typedef struct extender_question {
    char *text; /* NULL: the pod's object is not known */
    size_t bytes;
} extender_question;

/* ExtenderArgs: a pod and nodes, by name or as whole objects. A node whose object is gone already
 * has only its name. */
extender_question extender_question_about_nodes(const extender_world *world, berth_pod_id pod,
                                                const berth_node_id *nodes, uint32_t count,
                                                bool by_name);

/* ExtenderPreemptionArgs: a pod, and for each node its victims, by uid or as whole objects. */
extender_question extender_question_about_victims(const extender_world *world, berth_pod_id pod,
                                                  const berth_extender_victims *candidates,
                                                  uint32_t count, bool by_uid);

void extender_question_free(extender_question *q);

#endif
