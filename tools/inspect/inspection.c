/* Turns notes of the reader and properties of objects into findings. */
#include "inspect/inspection.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/exits.h"
#include "inspect/values.h"

#define SHOW(text) (int)(text).len, (text).data != NULL ? (text).data : ""

static void add(inspection *in, finding_kind kind, const berth_note *note, const char *text)
{
    findings_add(&in->findings, kind, words_of(text), note->place, 1);
}

static void note_field(inspection *in, const berth_note *note)
{
    char text[512];
    bool suggests = note->suggestion.len > 0;
    snprintf(text, sizeof(text), "Kubernetes has no field \"%.*s\" there%s%.*s%s", SHOW(note->word),
             suggests ? ": did you mean " : "", SHOW(note->suggestion), suggests ? "?" : "");
    add(in, FINDING_FIELD, note, text);
}

static void note_plugin(inspection *in, const berth_note *note)
{
    char text[512];
    bool suggests = note->suggestion.len > 0;
    snprintf(text, sizeof(text),
             "kube-scheduler has no plugin \"%.*s\" and ignores its arguments%s%.*s%s",
             SHOW(note->word), suggests ? ": did you mean " : "", SHOW(note->suggestion),
             suggests ? "?" : "");
    add(in, FINDING_PLUGIN, note, text);
}

static void note_version(inspection *in, const berth_note *note)
{
    char text[512];
    if (note->word.len == 0)
        snprintf(text, sizeof(text), "expected the apiVersion %.*s of a %.*s, found none",
                 SHOW(note->suggestion), SHOW(note->kind));
    else
        snprintf(text, sizeof(text), "expected the apiVersion %.*s of a %.*s, found \"%.*s\"",
                 SHOW(note->suggestion), SHOW(note->kind), SHOW(note->word));
    add(in, FINDING_API_VERSION, note, text);
}

/* Record an ignored kind. A foreign kind with the name of one of Kubernetes' own kinds is reported
 * with its group, as kubectl does: Node.longhorn.io. */
static void add_passed_over(inspection *in, const berth_note *note)
{
    static const char *const own[] = {"Pod", "Node",      "Service",   "Deployment",  "ReplicaSet",
                                      "Job", "Namespace", "DaemonSet", "StatefulSet", "CronJob"};
    const char *slash = note->api_version.len > 0
                            ? memchr(note->api_version.data, '/', note->api_version.len)
                            : NULL;
    char text[256];
    bool shared = false;
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
        shared |= words_equal(note->kind, words_of(own[i]));
    if (slash == NULL || !shared) {
        findings_add(&in->findings, FINDING_PASSED_OVER, note->kind, NULL, 1);
        return;
    }
    snprintf(text, sizeof(text), "%.*s.%.*s", SHOW(note->kind),
             (int)(slash - note->api_version.data), note->api_version.data);
    findings_add(&in->findings, FINDING_PASSED_OVER, words_of(text), NULL, 1);
}

/* Whether a kind of a well-known operator becomes pods, by kind and group. */
static bool makes_pods(const berth_note *note)
{
    static const char *const kinds[] = {"Prometheus monitoring.coreos.com",
                                        "Alertmanager monitoring.coreos.com",
                                        "ThanosRuler monitoring.coreos.com",
                                        "Rollout argoproj.io",
                                        "Workflow argoproj.io",
                                        "CronWorkflow argoproj.io",
                                        "JobSet jobset.x-k8s.io",
                                        "LeaderWorkerSet leaderworkerset.x-k8s.io",
                                        "Job batch.volcano.sh",
                                        "Service serving.knative.dev",
                                        "RayCluster ray.io",
                                        "RayJob ray.io",
                                        "RayService ray.io",
                                        "SparkApplication sparkoperator.k8s.io",
                                        "PyTorchJob kubeflow.org",
                                        "TFJob kubeflow.org",
                                        "MPIJob kubeflow.org",
                                        "TrainJob trainer.kubeflow.org",
                                        "CloneSet apps.kruise.io",
                                        "Cluster postgresql.cnpg.io",
                                        "Kafka kafka.strimzi.io",
                                        "Elasticsearch elasticsearch.k8s.elastic.co",
                                        "DeploymentConfig apps.openshift.io"};
    char text[256];
    int len = snprintf(text, sizeof(text), "%.*s %.*s", SHOW(note->kind), SHOW(note->api_version));
    char *slash = len > 0 && (size_t)len < sizeof(text) ? strchr(text, '/') : NULL;
    if (slash == NULL)
        return false;
    *slash = '\0';
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (strcmp(text, kinds[i]) == 0)
            return true;
    return false;
}

static void note_operator(inspection *in, const berth_note *note)
{
    char text[512];
    const char *slash = memchr(note->api_version.data, '/', note->api_version.len);
    const int group = (int)(slash - note->api_version.data);
    snprintf(text, sizeof(text),
             "Berth does not know which pods the operator of %.*s.%.*s creates: add them, or "
             "their workloads, to the input",
             SHOW(note->kind), group, note->api_version.data);
    add(in, FINDING_NO_PODS, note, text);
}

static void note_passed_over(inspection *in, const berth_note *note)
{
    char text[512];
    if (note->text.len > 0 && in->on_whole != NULL) {
        in->on_whole(in->context, note);
        return;
    }
    if (words_equal(note->kind, words_of("KubeSchedulerConfiguration"))) {
        add(in, FINDING_KIND, note, "it configures a scheduler: give the file to --config");
        return;
    }
    if (note->suggestion.len == 0) {
        if (!note->seen && makes_pods(note))
            note_operator(in, note);
        else
            add_passed_over(in, note);
        return;
    }
    snprintf(text, sizeof(text), "unknown kind %.*s, whose objects are ignored: did you mean %.*s?",
             SHOW(note->kind), SHOW(note->suggestion));
    add(in, FINDING_KIND, note, text);
}

void inspection_note(void *context, const berth_note *note)
{
    inspection *in = context;
    char text[512];
    switch (note->what) {
    case BERTH_NOTE_PASSED_OVER:
        note_passed_over(in, note);
        break;
    case BERTH_NOTE_UNKNOWN_FIELD:
        note_field(in, note);
        break;
    case BERTH_NOTE_API_VERSION:
        note_version(in, note);
        break;
    case BERTH_NOTE_DUPLICATE_KEY:
        snprintf(text, sizeof(text), "the key \"%.*s\" stands there more than once",
                 SHOW(note->word));
        add(in, FINDING_FIELD, note, text);
        break;
    case BERTH_NOTE_SELECTOR:
        add(in, FINDING_VALUE, note,
            "its selector does not match the labels of its template: an API server refuses it");
        break;
    case BERTH_NOTE_NO_DAEMONS:
        add(in, FINDING_NO_PODS, note,
            "no node admits its pods, by its nodeSelector, node affinity and tolerations: it has "
            "none");
        break;
    case BERTH_NOTE_PRIORITY_CLASS_MISSING:
        snprintf(text, sizeof(text), "PriorityClass %.*s", SHOW(note->word));
        findings_add(&in->findings, FINDING_PRIORITY_CLASS, words_of(text), NULL, 1);
        break;
    case BERTH_NOTE_UNKNOWN_PLUGIN:
        note_plugin(in, note);
        break;
    case BERTH_NOTE_REPLACES:
        snprintf(text, sizeof(text), "it replaces an earlier one, at %.*s", SHOW(note->word));
        add(in, FINDING_VALUE, note, text);
        break;
    case BERTH_NOTE_REPLICAS:
        snprintf(text, sizeof(text),
                 "it wants %" PRId64 " pods, more than the nodes take by their allocatable pods: "
                 "the first %" PRId64 " are tried, the others would fit no better than the last",
                 note->workload->wanted, note->workload->made);
        add(in, FINDING_REPLICAS, note, text);
        break;
    case BERTH_NOTE_WORKLOAD:       /* for callers that track changes */
    case BERTH_NOTE_FOREIGN_PLUGIN: /* refused by engine_setup_resolve */
    case BERTH_NOTE_GATED_PLUGIN:   /* the same without the gate */
        break;
    case BERTH_NOTE_NOT_EXPANDED:
        references_workload(&in->references, note->kind, note->namespace_name, note->name);
        break;
    case BERTH_NOTE_RUNTIME_CLASS_MISSING:
    case BERTH_NOTE_RUNTIME_CLASS: {
        bool missing = note->what == BERTH_NOTE_RUNTIME_CLASS_MISSING;
        snprintf(text, sizeof(text), "%sRuntimeClass %.*s", missing ? "" : "what is added by ",
                 SHOW(note->word));
        findings_add(&in->findings, missing ? FINDING_RUNTIME_CLASS : FINDING_APPLIED,
                     words_of(text), NULL, 1);
        break;
    }
    case BERTH_NOTE_CLAIM_TEMPLATE_MISSING:
        snprintf(text, sizeof(text), "ResourceClaimTemplate %.*s/%.*s", SHOW(note->namespace_name),
                 SHOW(note->word));
        findings_add(&in->findings, FINDING_CLAIM, words_of(text), NULL, 1);
        break;
    }
}

void inspection_config(const berth_scheduler_config *config, const char *command)
{
    inspection in = {.context = NULL};
    char speaker[64];
    if (config == NULL)
        return;
    snprintf(speaker, sizeof(speaker), "berth %s", command);
    berth_scheduler_config_notes(config, inspection_note, &in);
    (void)findings_say(&in.findings, speaker);
    inspection_free(&in);
}

void inspection_object(inspection *in, const berth_object *object, const berth_error *origin)
{
    if (!references_object(&in->references, object))
        values_check(object, origin, &in->findings);
}

berth_status inspection_end(inspection *in, const char *command, bool strict, berth_error *error)
{
    char speaker[64];
    snprintf(speaker, sizeof(speaker), "berth%s%s", command != NULL ? " " : "",
             command != NULL ? command : "");
    references_end(&in->references, &in->findings);
    size_t warnings = findings_say(&in->findings, speaker);
    if (!strict || warnings == 0)
        return BERTH_OK;
    return error_set(error, BERTH_E_INVALID, NULL, "%zu warning%s above, which --strict makes %s",
                     warnings, warnings == 1 ? "" : "s", warnings == 1 ? "an error" : "errors");
}

void inspection_free(inspection *in)
{
    findings_free(&in->findings);
    references_free(&in->references);
    places_free(&in->places);
}
