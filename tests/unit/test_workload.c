/* From workloads to pods: their number, names, owners, labels, claims and pins, and which workloads
 * are not expanded. */
#include <inttypes.h>

#include "arena_pieces.h"
#include "assert_text.h"
#include "counted_memory.h"
#include "reader_check.h"

typedef struct workload_case {
    const char *text;
    const char *objects;
} workload_case;

#define TEMPLATE "template: {metadata: {labels: {app: web}}, spec: {containers: [{name: a}]}}"

static const workload_case named[] = {
    {"kind: Deployment\nmetadata: {name: web, namespace: s}\nspec: {replicas: 3, " TEMPLATE "}\n",
     "ReplicaSet s/web-5df433c2\nPod s/web-5df433c2-0\nPod s/web-5df433c2-1\n"
     "Pod s/web-5df433c2-2\n"},
    {"kind: Deployment\nmetadata: {name: web}\nspec: {" TEMPLATE "}\n",
     "ReplicaSet default/web-HASH\nPod default/web-HASH-0\n"},
    {"kind: Deployment\nmetadata: {name: web}\nspec: {replicas: 0, " TEMPLATE "}\n",
     "ReplicaSet default/web-HASH\n"},
    {"kind: ReplicaSet\nmetadata: {name: web}\nspec: {replicas: 2, " TEMPLATE "}\n",
     "ReplicaSet default/web\nPod default/web-HASH-0\nPod default/web-HASH-1\n"},
    {"apiVersion: v1\nkind: ReplicationController\nmetadata: {name: web}\n"
     "spec: {selector: {app: web}, " TEMPLATE "}\n",
     "ReplicationController default/web\nPod default/web-HASH-0\n"},
    {"kind: StatefulSet\nmetadata: {name: db}\nspec: {replicas: 2, ordinals: {start: 5}, " TEMPLATE
     ", volumeClaimTemplates: [{metadata: {name: data}}, {metadata: {name: log}}]}\n",
     "StatefulSet default/db\nPod default/db-5\nPod default/db-6\n"
     "PersistentVolumeClaim default/data-db-5\nPersistentVolumeClaim default/log-db-5\n"
     "PersistentVolumeClaim default/data-db-6\nPersistentVolumeClaim default/log-db-6\n"},
    /* a claim that the input contains, before or after the set, is not created again */
    {"--- {kind: PersistentVolumeClaim, metadata: {name: data-db-1, uid: u}}\n"
     "--- {kind: StatefulSet, metadata: {name: db}, spec: {replicas: 3, " TEMPLATE
     ", volumeClaimTemplates: [{metadata: {name: data}}]}}\n"
     "--- {kind: PersistentVolumeClaim, metadata: {name: data-db-0}, spec:"
     " {storageClassName: x}}\n",
     "PersistentVolumeClaim default/data-db-1\nStatefulSet default/db\nPod default/db-0\n"
     "Pod default/db-1\nPod default/db-2\nPersistentVolumeClaim default/data-db-0\n"
     "PersistentVolumeClaim default/data-db-2\n"},
    {"kind: Job\nmetadata: {name: j}\nspec: {" TEMPLATE "}\n", "Pod default/j-HASH-0\n"},
    {"kind: Job\nmetadata: {name: j}\nspec: {parallelism: 3, completions: 2, " TEMPLATE "}\n",
     "Pod default/j-HASH-0\nPod default/j-HASH-1\n"},
    {"kind: Job\nmetadata: {name: j}\nspec: {parallelism: 2, completions: 9, " TEMPLATE "}\n",
     "Pod default/j-HASH-0\nPod default/j-HASH-1\n"},
    {"kind: Job\nmetadata: {name: j}\nspec: {completions: 9, " TEMPLATE "}\n",
     "Pod default/j-HASH-0\n"},
    {"kind: Job\nmetadata: {name: j}\nspec: {suspend: true, " TEMPLATE "}\n", ""},
    {"apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: c}\nspec: {jobTemplate: {spec:"
     " {parallelism: 2, " TEMPLATE "}}}\n",
     "Pod default/c-HASH-0\nPod default/c-HASH-1\n"},
    {"kind: CronJob\nmetadata: {name: c}\nspec: {suspend: true, jobTemplate: {spec: {" TEMPLATE
     "}}}\n",
     ""},
    {"kind: Job\nmetadata: {generateName: j-}\nspec: {" TEMPLATE "}\n",
     "Pod default/j-00000-HASH-0\n"},
    /* from an API server: the dump contains the pods, if there are any */
    {"kind: Deployment\nmetadata: {name: web, uid: u}\nspec: {replicas: 3, " TEMPLATE "}\n", ""},
    {"kind: ReplicaSet\nmetadata: {name: web, uid: u}\nspec: {replicas: 3, " TEMPLATE "}\n",
     "ReplicaSet default/web\n"},
    {"kind: StatefulSet\nmetadata: {name: web, uid: u}\nspec: {" TEMPLATE
     ", volumeClaimTemplates: [{metadata: {name: data}}]}\n",
     "StatefulSet default/web\n"},
    {"kind: DaemonSet\nmetadata: {name: web, uid: u}\nspec: {" TEMPLATE "}\n", ""},
    {"kind: Job\nmetadata: {name: web, uid: u}\nspec: {" TEMPLATE "}\n", ""},
    /* other kinds with templates */
    {"apiVersion: jobset.x-k8s.io/v1\nkind: JobSet\nmetadata: {name: j}\nspec: {" TEMPLATE "}\n",
     ""},
    {"apiVersion: argoproj.io/v1\nkind: Deployment\nmetadata: {name: j}\nspec: {" TEMPLATE "}\n",
     ""},
    {"apiVersion: extensions/v1beta1\nkind: Deployment\nmetadata: {name: web}\nspec: {" TEMPLATE
     "}\n",
     "ReplicaSet default/web-HASH\nPod default/web-HASH-0\n"},
    {"kind: PodTemplate\nmetadata: {name: j}\n" TEMPLATE "\n", ""},
};

/* Replaces eight hexadecimal digits by HASH. */
static void hide_hashes(char *text)
{
    char *to = text;
    for (char *at = text; *at != '\0';) {
        if (strchr("-=[", *at) != NULL && strspn(at + 1, "0123456789abcdef") == 8) {
            *to++ = *at;
            to += sprintf(to, "HASH");
            at += 9;
        } else {
            *to++ = *at++;
        }
    }
    *to = '\0';
}

static void test_names(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++) {
        berth_error error;
        char shown[1200] = "";
        if (read_all(named[i].text, true, &names_only, &error) != BERTH_OK)
            berth_error_format(&error, shown, sizeof(shown));
        assert_string_equal(shown, "");
        if (strstr(named[i].objects, "HASH") != NULL)
            hide_hashes(got.text);
        assert_string_equal(got.text, named[i].objects);
    }
}

/* Workloads with the same name but different kinds or namespaces have different pod names. */
static void test_names_differ(void **state)
{
    (void)state;
    berth_error error;
    static const char text[] =
        "--- {kind: Deployment, metadata: {name: w}, spec: {" TEMPLATE "}}\n"
        "--- {kind: Job, metadata: {name: w}, spec: {" TEMPLATE "}}\n"
        "--- {kind: CronJob, metadata: {name: w}, spec: {jobTemplate: {spec: {" TEMPLATE "}}}}\n"
        "--- {kind: ReplicaSet, metadata: {name: w}, spec: {" TEMPLATE "}}\n"
        "--- {kind: StatefulSet, metadata: {name: w}, spec: {" TEMPLATE "}}\n";
    assert_int_equal(read_all(text, true, &names_only, &error), BERTH_OK);
    assert_int_equal(got.count[BERTH_KIND_POD], 5);
    char *names[16];
    int count = 0;
    for (char *line = strtok(got.text, "\n"); line != NULL; line = strtok(NULL, "\n"))
        names[count++] = line;
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < i; k++)
            assert_string_not_equal(names[i], names[k]);
    }
}

#define STANDARD " scheduler=default-scheduler priority=0 preemption=PreemptLowerPriority"

static const workload_case whole[] = {
    {"kind: Deployment\nmetadata: {name: web, labels: {l: m}}\nspec: {selector: {matchLabels:"
     " {app: web}}, template: {metadata: {labels: {app: web}, annotations: {a: b}}, spec:"
     " {hostNetwork: true, containers: [{name: c, ports: [{containerPort: 8}], resources: {limits:"
     " {cpu: 1}}}], topologySpreadConstraints: [{maxSkew: 1, topologyKey: z, matchLabelKeys:"
     " [pod-template-hash]}], affinity: {podAntiAffinity:"
     " {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: h, labelSelector: {},"
     " matchLabelKeys: [pod-template-hash]}]}}}}}\n",
     "ReplicaSet default/web-HASH uid=berth-HASH labels={l=m}"
     " selector< labels={app=web,pod-template-hash=HASH}>\n"
     "Pod default/web-HASH-0 labels={app=web,pod-template-hash=HASH} annotations={a=b}"
     " owner(apps/v1 ReplicaSet web-HASH berth-HASH controller)" STANDARD
     " container(c requests={cpu=1} limits={cpu=1} port( TCP 8 8))"
     " anti-affinity required(0 h selector<(pod-template-hash In =[HASH])>)"
     " spread(1 0 z  keys=[pod-template-hash]) host-network\n"},
    {"kind: StatefulSet\nmetadata: {name: db, namespace: s}\nspec: {selector: {matchLabels: {app:"
     " db}}, template: {metadata: {labels: {app: db}}, spec: {volumes: [{name: data, emptyDir: {}},"
     " {name: tmp, emptyDir: {}}]}}, volumeClaimTemplates: [{metadata: {name: data, labels:"
     " {k: w}}, spec: {accessModes: [ReadWriteOnce], storageClassName: fast, resources: {requests:"
     " {storage: 1Gi}}}}]}\n",
     "StatefulSet s/db uid=berth-HASH selector< labels={app=db}>\n"
     "Pod s/db-0 labels={app=db,apps.kubernetes.io/pod-index=0,"
     "statefulset.kubernetes.io/pod-name=db-0,controller-revision-hash=HASH}"
     " owner(apps/v1 StatefulSet db berth-HASH controller)" STANDARD
     " volume(data source=1 handle=data-db-0) volume(tmp source=12)\n"
     "PersistentVolumeClaim s/data-db-0 labels={k=w,app=db} modes=[ReadWriteOnce] class=fast"
     " request=1Gi phase=Pending\n"},
    /* what the controller sets wins over the template */
    {"kind: StatefulSet\nmetadata: {name: db, namespace: s}\nspec: {selector: {matchLabels: {app: "
     "db}}, template: {metadata: {labels: "
     "{apps.kubernetes.io/pod-index: x, app: db}}, spec: {volumes: [{name: data, emptyDir: {}}, "
     "{name: tmp, emptyDir: {}}, {name: log, emptyDir: {}}]}}, volumeClaimTemplates: [{metadata: "
     "{name: data}}, {metadata: {name: log}}]}\n",
     "StatefulSet s/db uid=berth-HASH selector< labels={app=db}>\n"
     "Pod s/db-0 labels={app=db,apps.kubernetes.io/pod-index=0,"
     "statefulset.kubernetes.io/pod-name=db-0,controller-revision-hash=HASH}"
     " owner(apps/v1 StatefulSet db berth-HASH controller)" STANDARD
     " volume(data source=1 handle=data-db-0) volume(log source=1 handle=log-db-0)"
     " volume(tmp source=12)\n"
     "PersistentVolumeClaim s/data-db-0 labels={app=db} request=0 phase=Pending\n"
     "PersistentVolumeClaim s/log-db-0 labels={app=db} request=0 phase=Pending\n"},
    {"kind: Job\nmetadata: {name: j}\nspec: {completionMode: Indexed, template: {spec: {}}}\n",
     "Pod default/j-HASH-0 labels={batch.kubernetes.io/job-name=j,job-name=j,"
     "batch.kubernetes.io/controller-uid=berth-HASH,controller-uid=berth-HASH,"
     "batch.kubernetes.io/job-completion-index=0}"
     " owner(batch/v1 Job j berth-HASH controller)" STANDARD "\n"},
    {"kind: CronJob\nmetadata: {name: c}\nspec: {jobTemplate: {spec: {template: {spec: {}}}}}\n",
     "Pod default/c-HASH-0 labels={batch.kubernetes.io/job-name=c-HASH,job-name=c-HASH,"
     "batch.kubernetes.io/controller-uid=berth-HASH,controller-uid=berth-HASH}"
     " owner(batch/v1 Job c-HASH berth-HASH controller)" STANDARD "\n"},
};

static void test_whole(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++) {
        berth_error error;
        assert_int_equal(read_all(whole[i].text, true, &whole_objects, &error), BERTH_OK);
        hide_hashes(got.text);
        assert_string_equal(got.text, whole[i].objects);
    }
}

/* Templates are expanded without defaults, too; their pods are then left as they are. */
static void test_no_defaults(void **state)
{
    (void)state;
    berth_error error;
    assert_int_equal(read_all("kind: Job\nmetadata: {name: j}\nspec: {template: {spec:"
                              " {containers: [{name: a, resources: {limits: {cpu: 1}}}]}}}\n",
                              false, &whole_objects, &error),
                     BERTH_OK);
    assert_non_null(strstr(got.text, " container(a limits={cpu=1})\n"));
}

static void test_class_behind(void **state)
{
    (void)state;
    berth_error error;
    static const char text[] =
        "--- {kind: Deployment, metadata: {name: w}, spec: {template: {spec:"
        " {priorityClassName: hi}}}}\n"
        "--- {kind: DaemonSet, metadata: {name: e}, spec: {template: {spec:"
        " {priorityClassName: hi}}}}\n"
        "--- {kind: StatefulSet, metadata: {name: d}, spec: {volumeClaimTemplates: [{metadata:"
        " {name: v}}], template: {spec: {priorityClassName: hi}}}}\n"
        "--- {kind: PriorityClass, metadata: {name: hi}, value: 3}\n"
        "--- {kind: Node, metadata: {name: a}}\n";
    assert_int_equal(read_all(text, true, &names_only, &error), BERTH_OK);
    hide_hashes(got.text);
    assert_string_equal(got.text, "Node a\nReplicaSet default/w-HASH\nPod default/w-HASH-0\n"
                                  "StatefulSet default/d\nPod default/d-0\n"
                                  "PersistentVolumeClaim default/v-d-0\n");
    assert_string_equal(got.origin.source, "test");
    assert_int_equal(got.origin.line, 3);
}

static berth_status add_nodes(void *context, const berth_object *object, const berth_error *origin,
                              berth_error *error)
{
    (void)origin;
    return object->kind == BERTH_KIND_NODE ? berth_engine_add(context, object, NULL, error)
                                           : BERTH_OK;
}

/* ---- more pods than the nodes take ---- */

static const struct {
    const char *text; /* four pods fit on the nodes; more than two replicas wait for the end */
    uint32_t pods, claims;
    const char *told;
} many[] = {
    {"kind: Deployment, metadata: {name: w}, spec: {replicas: 2, " TEMPLATE "}", 2, 0, ""},
    {"kind: Deployment, metadata: {name: w}, spec: {replicas: 4, " TEMPLATE "}", 4, 0, ""},
    {"kind: Deployment, metadata: {name: w}, spec: {replicas: 5, " TEMPLATE "}", 5, 0, ""},
    {"kind: Deployment, metadata: {name: w}, spec: {replicas: 6, " TEMPLATE "}", 5, 0,
     "Deployment s/w: 5 of 6\n"},
    {"kind: Job, metadata: {name: j}, spec: {parallelism: 2147483647, " TEMPLATE "}", 5, 0,
     "Job s/j: 5 of 2147483647\n"},
    {"kind: StatefulSet, metadata: {name: d}, spec: {replicas: 30000000, " TEMPLATE
     ", volumeClaimTemplates: [{metadata: {name: v}}]}",
     5, 5, "StatefulSet s/d: 5 of 30000000\n"},
};

static void tell_replicas(void *context, const berth_note *note)
{
    (void)context;
    if (note->what == BERTH_NOTE_REPLICAS)
        put("%.*s %.*s/%.*s: %" PRId64 " of %" PRId64 "\n", STR(note->kind),
            STR(note->namespace_name), STR(note->name), note->workload->made,
            note->workload->wanted);
}

static berth_status count_objects(void *context, const berth_object *object,
                                  const berth_error *origin, berth_error *error)
{
    (void)origin;
    (void)error;
    ((uint32_t *)context)[object->kind]++;
    return BERTH_OK;
}

/* Reads one workload, with an engine that has two nodes or without one. */
static void read_many(const char *object, bool changes, bool with_engine,
                      uint32_t counts[BERTH_KIND_COUNT])
{
    static const char nodes[] =
        "--- {kind: Node, metadata: {name: n1}, status: {allocatable: {pods: 3}}}\n"
        "--- {kind: Node, metadata: {name: n2}, status: {allocatable: {pods: 1}}}\n";
    char text[512];
    berth_engine_config config;
    berth_engine *engine;
    berth_reader *reader;
    berth_error error;
    const berth_read_options options = {
        .size = sizeof(options),
        .apply_defaults = true,
        .note = tell_replicas,
        .changes = changes,
        .namespace_name = "s",
        .many_replicas = 2,
    };
    got.len = 0;
    got.text[0] = '\0';
    berth_engine_config_init(&config);
    config.threads = 1;
    assert_int_equal(berth_engine_create(&config, &engine, NULL), BERTH_OK);
    assert_int_equal(berth_reader_create(&options, &reader, NULL), BERTH_OK);
    snprintf(text, sizeof(text), "--- {%s}\n", object);
    assert_int_equal(
        berth_reader_text(reader, berth__text_of(text), "t", count_objects, counts, &error),
        BERTH_OK);
    assert_int_equal(
        berth_reader_text(reader, berth__text_of(nodes), "t", add_nodes, engine, &error), BERTH_OK);
    assert_int_equal(
        berth_reader_finish(reader, with_engine ? engine : NULL, count_objects, counts, &error),
        BERTH_OK);
    berth_reader_destroy(reader);
    berth_engine_destroy(engine);
}

static void test_many_replicas(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2 * sizeof(many) / sizeof(many[0]); i++) {
        uint32_t counts[BERTH_KIND_COUNT] = {0};
        read_many(many[i / 2].text, i % 2 == 1, true, counts);
        assert_int_equal(counts[BERTH_KIND_POD], many[i / 2].pods);
        assert_int_equal(counts[BERTH_KIND_PERSISTENT_VOLUME_CLAIM], many[i / 2].claims);
        assert_string_equal(got.text, many[i / 2].told);
    }
    uint32_t counts[BERTH_KIND_COUNT] = {0};
    read_many(many[3].text, false, false, counts); /* nobody knows what the nodes take */
    assert_int_equal(counts[BERTH_KIND_POD], 6);
}

/* One more pod than fit is made on a cluster of any size. */
static void test_many_nodes(void **state)
{
    enum { NODES = 20000 };
    static const char text[] = "--- {kind: Deployment, metadata: {name: w}, spec: {replicas: "
                               "1000000000, " TEMPLATE "}}\n";
    static const berth_resource room = {BERTH_STR("pods"), {1, 0}};
    const berth_read_options options = {
        .size = sizeof(options), .note = tell_replicas, .many_replicas = 2};
    uint32_t counts[BERTH_KIND_COUNT] = {0};
    berth_engine *engine;
    berth_reader *reader;
    (void)state;
    got.len = 0;
    assert_int_equal(berth_engine_create(NULL, &engine, NULL), BERTH_OK);
    for (int i = 0; i < NODES; i++) {
        char name[16];
        const int len = snprintf(name, sizeof(name), "n%d", i);
        const berth_node node = {.meta.name = {name, (uint32_t)len}, .allocatable = {&room, 1}};
        const berth_object object = {.kind = BERTH_KIND_NODE, .as.node = &node};
        assert_int_equal(berth_engine_add(engine, &object, NULL, NULL), BERTH_OK);
    }
    assert_int_equal(berth_reader_create(&options, &reader, NULL), BERTH_OK);
    assert_int_equal(
        berth_reader_text(reader, berth__text_of(text), "t", count_objects, counts, NULL),
        BERTH_OK);
    assert_int_equal(berth_reader_finish(reader, engine, count_objects, counts, NULL), BERTH_OK);
    assert_int_equal(counts[BERTH_KIND_POD], NODES + 1);
    berth_reader_destroy(reader);
    berth_engine_destroy(engine);
}

/* Note the names of pods, up to the first dash. */
static berth_status note_pod(void *context, const berth_object *object, const berth_error *origin,
                             berth_error *error)
{
    char *names = context;
    (void)origin;
    (void)error;
    if (object->kind != BERTH_KIND_POD)
        return BERTH_OK;
    const berth_str name = object->as.pod->meta.name;
    const size_t at = strlen(names);
    snprintf(names + at, 64 - at, "%.*s ", (int)strcspn(name.data, "-"), name.data);
    return BERTH_OK;
}

/* A manifest's pods are delivered in its order: those after a workload wait with it. Pods of other
 * texts, on nodes, or of an API server do not. */
static void test_pods_wait_for_workloads(void **state)
{
    (void)state;
    static const char manifest[] =
        "--- {kind: Pod, metadata: {name: first}}\n"
        "--- {kind: ReplicaSet, metadata: {name: set}, spec: {replicas: 1, template: {spec: {}}}}\n"
        "--- {kind: Pod, metadata: {name: last}}\n"
        "--- {kind: Pod, metadata: {name: placed}, spec: {nodeName: n1}}\n"
        "--- {kind: Pod, metadata: {name: known, uid: u}}\n";
    static const char other[] = "--- {kind: Pod, metadata: {name: other}}\n";
    const berth_read_options options = {
        .size = sizeof(options), .apply_defaults = true, .changes = true};
    berth_reader *reader;
    berth_error error;
    char names[64] = "";
    assert_int_equal(berth_reader_create(&options, &reader, NULL), BERTH_OK);
    assert_int_equal(
        berth_reader_text(reader, berth__text_of(manifest), "t", note_pod, names, &error),
        BERTH_OK);
    assert_int_equal(berth_reader_text(reader, berth__text_of(other), "u", note_pod, names, &error),
                     BERTH_OK);
    assert_string_equal(names, "first placed known other ");
    assert_int_equal(berth_reader_finish(reader, NULL, note_pod, names, &error), BERTH_OK);
    assert_string_equal(names, "first placed known other set last ");
    berth_reader_destroy(reader);
}

/* ---- daemons ---- */

static void test_daemons(void **state)
{
    (void)state;
    berth_engine_config config;
    berth_engine *engine;
    berth_error error;
    static const char text[] =
        "--- {kind: DaemonSet, metadata: {name: d, namespace: s}, spec: {template: {metadata:"
        " {labels: {app: d}}, spec: {hostNetwork: true, tolerations: [{key: k, operator: Exists}],"
        " affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution:"
        " {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Exists}]}, {matchFields:"
        " [{key: metadata.name, operator: NotIn, values: [x]}]}]}}}}}}}\n"
        "--- {kind: DaemonSet, metadata: {name: e}, spec: {template: {spec: {}}}}\n"
        "--- {kind: Node, metadata: {name: n-1}}\n"
        "--- {kind: Node, metadata: {name: n-2}}\n";
    berth_engine_config_init(&config);
    config.threads = 1;
    assert_int_equal(berth_engine_create(&config, &engine, NULL), BERTH_OK);
    berth_reader *reader = make_reader(false, NULL);
    assert_int_equal(
        berth_reader_text(reader, berth__text_of(text), "t", add_nodes, engine, &error), BERTH_OK);
    assert_int_equal(berth_reader_finish(reader, engine, collect, &whole_objects, &error),
                     BERTH_OK);
    hide_hashes(got.text);
    assert_string_equal(got.text,
#define TOLERATED                                                        \
    " toleration(node.kubernetes.io/not-ready Exists  NoExecute)"        \
    " toleration(node.kubernetes.io/unreachable Exists  NoExecute)"      \
    " toleration(node.kubernetes.io/disk-pressure Exists  NoSchedule)"   \
    " toleration(node.kubernetes.io/memory-pressure Exists  NoSchedule)" \
    " toleration(node.kubernetes.io/pid-pressure Exists  NoSchedule)"    \
    " toleration(node.kubernetes.io/unschedulable Exists  NoSchedule)"
#define DAEMON_D(node)                                                   \
    "Pod s/d-HASH-" node " labels={app=d,controller-revision-hash=HASH}" \
    " owner(apps/v1 DaemonSet d berth-HASH controller)"                  \
    " required[< fields(metadata.name In =[" node "])>]"                 \
    " toleration(k Exists  )" TOLERATED                                  \
    " toleration(node.kubernetes.io/network-unavailable Exists  NoSchedule) host-network\n"
#define DAEMON_E(node)                                                   \
    "Pod default/e-HASH-" node " labels={controller-revision-hash=HASH}" \
    " owner(apps/v1 DaemonSet e berth-HASH controller)"                  \
    " required[< fields(metadata.name In =[" node "])>]" TOLERATED "\n"
                        DAEMON_D("n-1") DAEMON_D("n-2") DAEMON_E("n-1") DAEMON_E("n-2"));
    berth_reader_destroy(reader);
    berth_engine_destroy(engine);
}

#define REQUIRED(terms)                                                         \
    "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution:" \
    " {nodeSelectorTerms: [" terms "]}}}"

/* Which of eight nodes, which differ in a label, a taint or the cordon, get a pod: by their last
 * letter. The rules are those of NodeShouldRunDaemonPod. */
static const struct {
    const char *spec;
    const char *nodes;
} daemon_choices[] = {
    {"", "acfh"},
    {"hostNetwork: true", "abcfh"},
    {"nodeSelector: {disk: ssd}", "acf"},
    {"nodeSelector: {disk: ssd, zone: z}", "c"},
    {"nodeSelector: {disk: none}", ""},
    {"tolerations: [{key: own, operator: Exists}]", "acdefh"},
    {"tolerations: [{key: own, operator: Exists, effect: NoSchedule}]", "acdfh"},
    {"tolerations: [{operator: Exists}]", "abcdefgh"},
    {"nodeName: n-c", "c"},
    {"nodeName: n-d", ""},
    {"nodeName: n-h, nodeSelector: {disk: ssd}", ""},
    {REQUIRED("{matchExpressions: [{key: zone, operator: Exists}]},"
              " {matchFields: [{key: metadata.name, operator: In, values: [n-h]}]}"),
     "ch"},
    {REQUIRED("{matchExpressions: [{key: zone, operator: DoesNotExist}]}"), "afh"},
    {REQUIRED("{matchExpressions: [{key: zone, operator: Gt, values: [word]}]}"), ""},
    {REQUIRED("{}"), ""},
};

static berth_status note_node(void *context, const berth_object *object, const berth_error *origin,
                              berth_error *error)
{
    (void)origin;
    (void)error;
    char *nodes = context;
    if (object->kind == BERTH_KIND_POD) {
        berth_str name = object->as.pod->meta.name;
        snprintf(nodes + strlen(nodes), 2, "%c", name.data[name.len - 1]);
    }
    return BERTH_OK;
}

static void test_daemon_choices(void **state)
{
    (void)state;
    static const char nodes[] =
        "--- {kind: Node, metadata: {name: n-a, labels: {disk: ssd}}}\n"
        "--- {kind: Node, metadata: {name: n-b}, spec: {taints:"
        " [{key: node.kubernetes.io/network-unavailable, effect: NoSchedule}]}}\n"
        "--- {kind: Node, metadata: {name: n-c, labels: {disk: ssd, zone: z}}}\n"
        "--- {kind: Node, metadata: {name: n-d}, spec: {taints: [{key: own, effect: "
        "NoSchedule}]}}\n"
        "--- {kind: Node, metadata: {name: n-e}, spec: {taints: [{key: own, effect: NoExecute}]}}\n"
        "--- {kind: Node, metadata: {name: n-f, labels: {disk: ssd}}, spec: {unschedulable: true,"
        " taints: [{key: node.kubernetes.io/unschedulable, effect: NoSchedule}]}}\n"
        "--- {kind: Node, metadata: {name: n-g}, spec: {taints: [{key: own, effect: NoSchedule},"
        " {key: other, effect: NoExecute}]}}\n"
        "--- {kind: Node, metadata: {name: n-h}, spec: {taints:"
        " [{key: own, effect: PreferNoSchedule}]}}\n"
        "--- {kind: DaemonSet, metadata: {name: d}, spec: {template: {spec: {%s}}}}\n";
    for (size_t i = 0; i < sizeof(daemon_choices) / sizeof(daemon_choices[0]); i++) {
        char text[4096], got_nodes[16] = "";
        berth_engine_config config;
        berth_engine *engine;
        berth_error error;
        berth_engine_config_init(&config);
        config.threads = 1;
        snprintf(text, sizeof(text), nodes, daemon_choices[i].spec);
        assert_int_equal(berth_engine_create(&config, &engine, NULL), BERTH_OK);
        berth_reader *reader = make_reader(false, NULL);
        assert_int_equal(
            berth_reader_text(reader, berth__text_of(text), "t", add_nodes, engine, &error),
            BERTH_OK);
        assert_int_equal(berth_reader_finish(reader, engine, note_node, got_nodes, &error),
                         BERTH_OK);
        assert_string_equal(got_nodes, daemon_choices[i].nodes);
        berth_reader_destroy(reader);
        berth_engine_destroy(engine);
    }
}

/* If there is enough memory for the engine's node order, all of a DaemonSet's pods are made;
 * otherwise none, and an error is returned. Returns whether there was enough. */
static bool daemons_without(unsigned fail_at)
{
    static const char text[] = "--- {kind: Node, metadata: {name: n-a}}\n"
                               "--- {kind: Node, metadata: {name: n-b}}\n"
                               "--- {kind: DaemonSet, metadata: {name: d}, spec: {template:"
                               " {spec: {}}}}\n";
    char got_nodes[16] = "";
    counted memory = {0};
    const berth_allocator allocator = {&memory, counted_allocate, counted_release};
    berth_engine_config config;
    berth_engine *engine;
    berth_error error;
    berth_engine_config_init(&config);
    config.threads = 1;
    config.allocator = &allocator;
    assert_int_equal(berth_engine_create(&config, &engine, NULL), BERTH_OK);
    berth_reader *reader = make_reader(false, NULL);
    assert_int_equal(
        berth_reader_text(reader, berth__text_of(text), "t", add_nodes, engine, &error), BERTH_OK);
    memory.fail_at = memory.calls + fail_at;
    memory.for_good = true;
    berth_status status = berth_reader_finish(reader, engine, note_node, got_nodes, &error);
    memory.fail_at = 0;
    assert_true(status == BERTH_OK || status == BERTH_E_NOMEM);
    assert_string_equal(got_nodes, status == BERTH_OK ? "ab" : "");
    berth_reader_destroy(reader);
    berth_engine_destroy(engine);
    return status == BERTH_OK;
}

static void test_daemons_without_memory(void **state)
{
    (void)state;
    unsigned fail_at = 1;
    while (!daemons_without(fail_at))
        fail_at++;
    assert_true(fail_at > 1);
}

/* Notes the node of a DaemonSet's pod, which tolerates what its template says, and seven taints. */
static berth_status note_daemon(void *context, const berth_object *object,
                                const berth_error *origin, berth_error *error)
{
    if (object->kind == BERTH_KIND_POD)
        assert_int_equal(object->as.pod->toleration_count, 8);
    return note_node(context, object, origin, error);
}

enum { MANY_TOLERATIONS = 1000 };

/* Tolerations of a template stay what they are, however many there are. */
static berth_status check_tolerations(void *context, const berth_object *object,
                                      const berth_error *origin, berth_error *error)
{
    uint32_t *pods = context;
    (void)origin;
    (void)error;
    if (object->kind != BERTH_KIND_POD)
        return BERTH_OK;
    const berth_pod *pod = object->as.pod;
    (*pods)++;
    assert_int_equal(pod->toleration_count, MANY_TOLERATIONS + 6);
    for (uint32_t i = 0; i < MANY_TOLERATIONS; i++) {
        char key[16];
        snprintf(key, sizeof(key), "key-%u", (unsigned)i);
        assert_text(pod->tolerations[i].key, key);
    }
    for (uint32_t i = 0; i < 6; i++)
        assert_memory_equal(pod->tolerations[MANY_TOLERATIONS + i].key.data, "node.kubernetes.io/",
                            strlen("node.kubernetes.io/"));
    return BERTH_OK;
}

static void test_daemon_with_many_tolerations(void **state)
{
    static char text[MANY_TOLERATIONS * 24 + 512];
    const berth_read_options options = {
        .size = sizeof(options), .apply_defaults = true, .threads = 1};
    berth_engine_config config;
    berth_engine *engine;
    berth_reader *reader;
    berth_error error;
    uint32_t pods = 0;
    (void)state;
    size_t at = (size_t)snprintf(text, sizeof(text),
                                 "--- {kind: Node, metadata: {name: n-a}}\n"
                                 "--- {kind: Node, metadata: {name: n-b}}\n"
                                 "--- {kind: DaemonSet, metadata: {name: d}, spec: {template: "
                                 "{metadata: {labels: {a: b}}, spec: {tolerations: [");
    for (unsigned i = 0; i < MANY_TOLERATIONS; i++)
        at += (size_t)snprintf(text + at, sizeof(text) - at, "{key: key-%u}, ", i);
    snprintf(text + at, sizeof(text) - at, "]}}}}\n");
    berth_engine_config_init(&config);
    config.threads = 1;
    assert_int_equal(berth_engine_create(&config, &engine, NULL), BERTH_OK);
    assert_int_equal(berth_reader_create(&options, &reader, NULL), BERTH_OK);
    assert_int_equal(
        berth_reader_text(reader, berth__text_of(text), "t", add_nodes, engine, &error), BERTH_OK);
    assert_int_equal(berth_reader_finish(reader, engine, check_tolerations, &pods, &error),
                     BERTH_OK);
    assert_int_equal(pods, 2);
    berth_reader_destroy(reader);
    berth_engine_destroy(engine);
}

/* The reader's own memory may end instead, or refuse a single request: the pods that were made are
 * whole, and with enough memory there is one for each node. Returns whether there was enough. */
static bool daemons_of_reader_without(unsigned fail_at, bool for_good)
{
    static const char text[] =
        "--- {kind: Node, metadata: {name: n-a}}\n"
        "--- {kind: Node, metadata: {name: n-b}}\n"
        "--- {kind: DaemonSet, metadata: {name: d}, spec: {template: {metadata: {labels: {a: b}},"
        " spec: {hostNetwork: true, tolerations: [{key: own}]}}}}\n";
    char got_nodes[16] = "";
    counted memory = {0};
    const berth_allocator allocator = {&memory, counted_allocate, counted_release};
    const berth_read_options options = {
        .size = sizeof(options), .apply_defaults = true, .threads = 1, .allocator = &allocator};
    berth_engine_config config;
    berth_engine *engine;
    berth_reader *reader;
    berth_error error;
    berth_engine_config_init(&config);
    config.threads = 1;
    assert_int_equal(berth_engine_create(&config, &engine, NULL), BERTH_OK);
    assert_int_equal(berth_reader_create(&options, &reader, NULL), BERTH_OK);
    assert_int_equal(
        berth_reader_text(reader, berth__text_of(text), "t", add_nodes, engine, &error), BERTH_OK);
    memory.fail_at = memory.calls + fail_at;
    memory.for_good = for_good;
    const berth_status status = berth_reader_finish(reader, engine, note_daemon, got_nodes, &error);
    const bool refused = memory.calls >= memory.fail_at;
    memory.fail_at = 0;
    berth_reader_destroy(reader);
    berth_engine_destroy(engine);
    assert_int_equal(memory.bytes, 0);
    if (status == BERTH_OK) {
        assert_string_equal(got_nodes, "ab");
        return !refused;
    }
    assert_int_equal(status, BERTH_E_NOMEM);
    assert_int_equal(error.code, BERTH_E_NOMEM);
    assert_true(strcmp(got_nodes, "") == 0 || strcmp(got_nodes, "a") == 0);
    return false;
}

static void test_daemons_without_memory_of_reader(void **state)
{
    (void)state;
    for (int for_good = 0; for_good < 2; for_good++) {
        unsigned fail_at = 1;
        while (!daemons_of_reader_without(fail_at, for_good != 0))
            fail_at++;
        assert_true(fail_at > 1);
    }
}

/* ---- selectors ---- */

static void count_selector_note(void *context, const berth_note *note)
{
    *(int *)context += note->what == BERTH_NOTE_SELECTOR;
}

/* A selector that does not select the workload's own pods is reported. */
static void test_selectors(void **state)
{
    static const struct {
        const char *selector;
        int notes;
    } cases[] = {
        {"matchLabels: {app: a}", 0},
        {"matchLabels: {app: b}", 1},
        {"matchLabels: {tier: a}", 1},
        {"matchExpressions: [{key: app, operator: Exists}]", 0},
        {"matchExpressions: [{key: tier, operator: Exists}]", 1},
        {"matchExpressions: [{key: app, operator: DoesNotExist}]", 1},
        {"matchExpressions: [{key: tier, operator: DoesNotExist}]", 0},
        {"matchExpressions: [{key: app, operator: In, values: [b, a]}]", 0},
        {"matchExpressions: [{key: app, operator: In, values: [b, c]}]", 1},
        {"matchExpressions: [{key: tier, operator: In, values: [a]}]", 1},
        {"matchExpressions: [{key: app, operator: NotIn, values: [b, a]}]", 1},
        {"matchExpressions: [{key: app, operator: NotIn, values: [b]}]", 0},
        {"matchExpressions: [{key: tier, operator: NotIn, values: [a]}]", 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int notes = 0;
        char text[512];
        const berth_read_options options = {.size = sizeof(options),
                                            .apply_defaults = true,
                                            .note = count_selector_note,
                                            .note_context = &notes};
        berth_reader *reader;
        berth_error error;
        const int len =
            snprintf(text, sizeof(text),
                     "--- {apiVersion: apps/v1, kind: Deployment, metadata: {name: d}, spec: "
                     "{selector: {%s}, template: {metadata: {labels: {app: a}}, spec: {}}}}\n",
                     cases[i].selector);
        assert_true(len > 0 && (size_t)len < sizeof(text));
        clear_sheet();
        assert_int_equal(berth_reader_create(&options, &reader, NULL), BERTH_OK);
        assert_int_equal(
            berth_reader_text(reader, berth__text_of(text), "t", collect, &names_only, &error),
            BERTH_OK);
        assert_int_equal(berth_reader_finish(reader, NULL, collect, &names_only, &error), BERTH_OK);
        berth_reader_destroy(reader);
        assert_int_equal(notes, cases[i].notes);
    }
}

/* ---- faults ---- */

typedef struct fault_case {
    const char *text;
    berth_status status;
    const char *shown;
} fault_case;

static const fault_case faults[] = {
    {"kind: Deployment\nmetadata: {name: w}\nspec: {replicas: 1}\n", BERTH_E_INVALID,
     "test:3: Deployment default/w: spec.template: a pod template is required"},
    {"kind: CronJob\nmetadata: {name: w}\nspec: {}\n", BERTH_E_INVALID,
     "test:3: CronJob default/w: spec.jobTemplate.spec.template: a pod template is required"},
    {"kind: Deployment\nmetadata: {name: w}\nspec: {replicas: -1, " TEMPLATE "}\n", BERTH_E_INVALID,
     "test:3: Deployment default/w: spec.replicas: must not be negative, found -1"},
    {"kind: CronJob\nmetadata: {name: w}\nspec: {jobTemplate: {spec: {parallelism: -2, " TEMPLATE
     "}}}\n",
     BERTH_E_INVALID,
     "test:3: CronJob default/w: spec.jobTemplate.spec.parallelism: must not be negative, found"
     " -2"},
    {"kind: Deployment\nmetadata: {name: w}\nspec: {replicas: many, " TEMPLATE "}\n",
     BERTH_E_INVALID,
     "test:3: Deployment default/w: spec.replicas: expected a number, found a string"},
    {"kind: Deployment\nmetadata: {}\nspec: {" TEMPLATE "}\n", BERTH_E_INVALID,
     "test:2: Deployment default/(unnamed): metadata.name: a name is required"},
    {"kind: CronJob\nmetadata: {name: w}\nspec: {jobTemplate: {spec: {template: {spec: {containers:"
     " [{resources: {requests: {cpu: x}}}]}}}}}\n",
     BERTH_E_PARSE,
     "test:3: CronJob default/w: spec.jobTemplate.spec.template.spec.containers[0].resources"
     ".requests.cpu: expected a quantity such as 500m, 2 or 1.5Gi, found \"x\""},
};

static void test_faults(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
        expect_fault(faults[i].text, true, faults[i].status, faults[i].shown);
}

int main(void)
{
    arena_pieces_refuse = counted_piece;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_names_differ),
        cmocka_unit_test(test_whole),
        cmocka_unit_test(test_no_defaults),
        cmocka_unit_test(test_class_behind),
        cmocka_unit_test(test_daemons),
        cmocka_unit_test(test_daemon_choices),
        cmocka_unit_test(test_daemons_without_memory),
        cmocka_unit_test(test_daemon_with_many_tolerations),
        cmocka_unit_test(test_daemons_without_memory_of_reader),
        cmocka_unit_test(test_selectors),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_many_replicas),
        cmocka_unit_test(test_many_nodes),
        cmocka_unit_test(test_pods_wait_for_workloads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
