/* Objects are copied into the text as the API server wrote them.
 * Source: kube-scheduler v1.37, extender.go; k8s.io/kube-scheduler/extender/v1/types.go, whose
 * members have no JSON names of their own. */
#include "live/extenders/extender_questions.h"

#include <inttypes.h>
#include <stdlib.h>

#include "cli/exits.h"
#include "live/writes/write_json.h"

/* ---- pieces ---- */

static void write_string(FILE *out, berth_str text)
{
    json_t *string = write_json_str(text);
    char *quoted = json_dumps(string, JSON_ENCODE_ANY);
    json_decref(string);
    if (quoted != NULL)
        fputs(quoted, out);
    free(quoted);
}

/* Returns false if the pod's object is not known. */
static bool write_pod_object(const extender_world *world, berth_pod_id pod, FILE *out)
{
    berth_str namespace_name, name;
    berth_engine_pod_name(world->engine, pod, &namespace_name, &name);
    return object_texts_write(world->texts, BERTH_KIND_POD, namespace_name, name, out);
}

static void write_node_object(const extender_world *world, berth_node_id node, FILE *out)
{
    static const berth_str none = {0};
    const berth_str name = berth_engine_node_name(world->engine, node);
    if (object_texts_write(world->texts, BERTH_KIND_NODE, none, name, out))
        return;
    fputs("{\"metadata\":{\"name\":", out);
    write_string(out, name);
    fputs("}}", out);
}

/* Close the stream and keep what it has written. */
static extender_question finish(FILE *out, extender_question *q, bool whole)
{
    if (fclose(out) != 0)
        exit(exit_status("run", "asking an extender", BERTH_E_NOMEM));
    if (whole)
        return *q;
    free(q->text);
    return (extender_question){.text = NULL};
}

static FILE *begin(extender_question *q)
{
    FILE *out = open_memstream(&q->text, &q->bytes);
    if (out == NULL)
        exit(exit_status("run", "asking an extender", BERTH_E_NOMEM));
    return out;
}

void extender_question_free(extender_question *q)
{
    free(q->text);
    q->text = NULL;
}

/* ---- nodes ---- */

extender_question extender_question_about_nodes(const extender_world *world, berth_pod_id pod,
                                                const berth_node_id *nodes, uint32_t count,
                                                bool by_name)
{
    extender_question q = {.text = NULL};
    FILE *out = begin(&q);
    fputs("{\"Pod\":", out);
    const bool whole = write_pod_object(world, pod, out);
    fputs(by_name ? ",\"Nodes\":null,\"NodeNames\":[" : ",\"Nodes\":{\"metadata\":{},\"items\":[",
          out);
    for (uint32_t i = 0; i < count; i++) {
        fputs(i > 0 ? "," : "", out);
        if (by_name)
            write_string(out, berth_engine_node_name(world->engine, nodes[i]));
        else
            write_node_object(world, nodes[i], out);
    }
    fputs(by_name ? "]}" : "]},\"NodeNames\":null}", out);
    return finish(out, &q, whole);
}

/* ---- victims ---- */

static void write_victim(const extender_world *world, berth_pod_id pod, bool by_uid, FILE *out)
{
    berth_str namespace_name, name;
    if (!by_uid) {
        if (!write_pod_object(world, pod, out))
            fputs("null", out);
        return;
    }
    berth_engine_pod_name(world->engine, pod, &namespace_name, &name);
    fputs("{\"UID\":", out);
    if (!object_texts_write_uid(world->texts, namespace_name, name, out))
        fputs("\"\"", out);
    fputs("}", out);
}

static void write_victims(const extender_world *world, const berth_extender_victims *victims,
                          bool by_uid, FILE *out)
{
    write_string(out, berth_engine_node_name(world->engine, victims->node));
    fputs(":{\"Pods\":[", out);
    for (uint32_t i = 0; i < victims->pod_count; i++) {
        fputs(i > 0 ? "," : "", out);
        write_victim(world, victims->pods[i], by_uid, out);
    }
    fprintf(out, "],\"NumPDBViolations\":%" PRId64 "}", victims->budget_violations);
}

extender_question extender_question_about_victims(const extender_world *world, berth_pod_id pod,
                                                  const berth_extender_victims *candidates,
                                                  uint32_t count, bool by_uid)
{
    extender_question q = {.text = NULL};
    FILE *out = begin(&q);
    fputs("{\"Pod\":", out);
    const bool whole = write_pod_object(world, pod, out);
    fputs(by_uid ? ",\"NodeNameToVictims\":null,\"NodeNameToMetaVictims\":{"
                 : ",\"NodeNameToVictims\":{",
          out);
    for (uint32_t i = 0; i < count; i++) {
        fputs(i > 0 ? "," : "", out);
        write_victims(world, &candidates[i], by_uid, out);
    }
    fputs(by_uid ? "}}" : "},\"NodeNameToMetaVictims\":null}", out);
    return finish(out, &q, whole);
}
