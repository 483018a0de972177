/* The output of hostile_cases. In a template, '<' and '>' enclose a part that is repeated N times;
 * the character after '<' separates the repetitions ('.': nothing). '#' is the number of the
 * repetition, '@' is N. */
#ifndef BERTH_TESTS_HOSTILE_TEMPLATES_H
#define BERTH_TESTS_HOSTILE_TEMPLATES_H

#define ROOM "\"status\":{\"allocatable\":{\"cpu\":\"64\",\"memory\":\"256Gi\",\"pods\":\"99999\"}}"
#define NODE(name, meta, spec)                                                          \
    "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"" name "\"" meta \
    "},\"spec\":{" spec "}," ROOM "}\n"
#define BOX "\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]"
#define POD(name, meta, spec)                                                          \
    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"" name "\"" meta \
    "},\"spec\":{" spec "}}\n"
#define TWO NODE("m0", "", "") NODE("m1", "", "")
#define PLAIN POD("p", "", BOX)
#define REQUIRED "\"requiredDuringSchedulingIgnoredDuringExecution\""
#define PREFERRED "\"preferredDuringSchedulingIgnoredDuringExecution\""
#define TERMS(kind, list) "\"affinity\":{\"" kind "\":{" list "}}," BOX
#define APP ",\"labels\":{\"app\":\"a\"}"
#define LABEL_SELECTS "\"labelSelector\":{\"matchLabels\":{\"app\":\"a\"}}"
#define SELECTS "\"selector\":{\"matchLabels\":{\"app\":\"a\"}}"

static const struct {
    const char *name;
    unsigned n; /* the N of the first run */
    const char *text;
} templates[] = {
    {"node_labels", 500,
     NODE("n0", ",\"labels\":{<,\"l#\":\"v#\">}", "")
         TWO POD("p", "", "\"nodeSelector\":{\"l1\":\"v1\"}," BOX)},
    {"node_selector", 500,
     NODE("n0", ",\"labels\":{<,\"l#\":\"v#\">}", "")
         POD("p", "", "\"nodeSelector\":{<,\"l#\":\"v#\">}," BOX)},
    {"pod_labels", 500, TWO POD("p", ",\"labels\":{<,\"l#\":\"v#\">}", BOX)},
    {"annotations", 500,
     NODE("n0", ",\"annotations\":{<,\"l#\":\"v#\">}", "")
         TWO POD("p", ",\"annotations\":{<,\"l#\":\"v#\">}", BOX)},
    {"taints", 1000,
     NODE("n0", "", "\"taints\":[<,{\"key\":\"k#\",\"value\":\"v#\",\"effect\":\"NoSchedule\"}>]")
         PLAIN},
    {"tolerations", 1000,
     NODE("n0", "",
          "\"taints\":[{\"key\":\"k1\",\"value\":\"v\",\"effect\":\"NoSchedule\"},"
          "{\"key\":\"z\",\"effect\":\"PreferNoSchedule\"}]") NODE("n1", "", "")
         POD("p", "", "\"tolerations\":[<,{\"key\":\"k#\",\"operator\":\"Exists\"}>]," BOX)},
    {"node_affinity_terms", 500,
     NODE("n0", ",\"labels\":{\"l\":\"x\"}", "")
         TWO POD("p", "",
                 TERMS("nodeAffinity",
                       REQUIRED ":{\"nodeSelectorTerms\":[<,{\"matchExpressions\":[{\"key\":\"l\","
                                "\"operator\":\"In\",\"values\":[\"v#\"]}]}>]}"))},
    {"node_affinity_preferences", 500,
     NODE("n0", ",\"labels\":{\"l\":\"x\"}", "")
         TWO POD("p", "",
                 TERMS("nodeAffinity", PREFERRED
                       ":[<,{\"weight\":1,\"preference\":{\"matchExpressions\":[{\"key\":\"l\","
                       "\"operator\":\"In\",\"values\":[\"v#\"]}]}}>]"))},
    {"node_affinity_requirements", 500,
     NODE("n0", ",\"labels\":{<,\"l#\":\"v\">}", "")
         TWO POD("p", "",
                 TERMS("nodeAffinity",
                       REQUIRED ":{\"nodeSelectorTerms\":[{\"matchExpressions\":[<,{\"key\":\"l#\","
                                "\"operator\":\"In\",\"values\":[\"v\"]}>]}]}"))},
    {"node_affinity_values", 1000,
     NODE("n0", ",\"labels\":{\"l\":\"v1\"}", "")
         TWO POD("p", "",
                 TERMS("nodeAffinity",
                       REQUIRED ":{\"nodeSelectorTerms\":[{\"matchExpressions\":[{\"key\":\"l\","
                                "\"operator\":\"In\",\"values\":[<,\"v#\">]}]}]}"))},
    {"pod_anti_affinity_terms", 300,
     NODE("n0", ",\"labels\":{\"h\":\"x\"}", "")
         TWO POD("p", APP,
                 TERMS("podAntiAffinity",
                       REQUIRED ":[<,{\"labelSelector\":{\"matchLabels\":{\"app\":\"b#\"}},"
                                "\"topologyKey\":\"h\"}>]")) POD("q", APP, BOX)},
    {"pod_affinity_preferences", 300,
     NODE("n0", ",\"labels\":{\"h\":\"x\"}", "") TWO POD(
         "p", APP,
         TERMS("podAffinity", PREFERRED
               ":[<,{\"weight\":1,\"podAffinityTerm\":{\"labelSelector\":"
               "{\"matchLabels\":{\"app\":\"b#\"}},\"topologyKey\":\"h\"}}>]")) POD("q", APP, BOX)},
    {"affinity_namespaces", 1000,
     NODE("n0", ",\"labels\":{\"h\":\"x\"}", "") TWO POD(
         "p", APP,
         TERMS("podAntiAffinity", REQUIRED ":[{\"labelSelector\":{\"matchLabels\":{\"app\":\"a\"}},"
                                           "\"namespaces\":[<,\"s#\">],\"topologyKey\":\"h\"}]"))},
    {"topology_values", 500,
     "<." NODE("n#", ",\"labels\":{\"rack\":\"r#\"}", "") ">" POD(
         "p", APP,
         "\"topologySpreadConstraints\":[{\"maxSkew\":1,\"topologyKey\":\"rack\","
         "\"whenUnsatisfiable\":\"DoNotSchedule\",\"labelSelector\":{\"matchLabels\":"
         "{\"app\":\"a\"}}}]," BOX)},
    {"topology_preferences", 500,
     "<." NODE("n#", ",\"labels\":{\"rack\":\"r#\"}", "") ">" POD(
         "p", APP,
         "\"topologySpreadConstraints\":[{\"maxSkew\":1,\"topologyKey\":\"rack\","
         "\"whenUnsatisfiable\":\"ScheduleAnyway\",\"labelSelector\":{\"matchLabels\":"
         "{\"app\":\"a\"}}}]," BOX)},
    {"owner_references", 1000,
     TWO POD("p",
             ",\"ownerReferences\":[<,{\"apiVersion\":\"apps/v1\",\"kind\":\"ReplicaSet\","
             "\"name\":\"r#\",\"uid\":\"u#\"}>]",
             BOX)},
    {"containers", 500,
     TWO POD("p", "",
             "\"containers\":[<,{\"name\":\"c#\",\"image\":\"i#\",\"resources\":{\"requests\":"
             "{\"cpu\":\"1m\"}}}>]")},
    {"init_containers", 500,
     TWO POD("p", "",
             "\"initContainers\":[<,{\"name\":\"c#\",\"image\":\"i#\",\"restartPolicy\":\"Always\","
             "\"resources\":{\"requests\":{\"cpu\":\"1m\"}}}>]," BOX)},
    {"node_images", 500,
     "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"n\"},\"status\":"
     "{\"allocatable\":{\"cpu\":\"1\",\"memory\":\"1Gi\",\"pods\":\"9\"},"
     "\"images\":[<,{\"names\":[\"i#:latest\",\"i#@sha256:0\"],\"sizeBytes\":50000000}>]}}\n" POD(
         "p", "", "\"containers\":[<,{\"name\":\"c#\",\"image\":\"i#\"}>]")},
    {"namespaces", 1000,
     TWO
     "<.{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"s#\",\"labels\":"
     "{\"team\":\"t\"}}}\n>" POD("p", APP,
                                 TERMS("podAntiAffinity", REQUIRED
                                       ":[{\"labelSelector\":{\"matchLabels\":{\"app\":\"a\"}},"
                                       "\"namespaceSelector\":{\"matchLabels\":{\"team\":\"t\"}},"
                                       "\"topologyKey\":\"h\"}]"))},
    {"services", 500,
     TWO "<.{\"apiVersion\":\"v1\",\"kind\":\"Service\",\"metadata\":{\"name\":\"s#\"},\"spec\":"
         "{\"selector\":{\"app\":\"a\"}}}\n>" POD("p", APP, BOX)},
    {"services_apart", 500,
     TWO "<.{\"apiVersion\":\"v1\",\"kind\":\"Service\",\"metadata\":{\"name\":\"s#\"},\"spec\":"
         "{\"selector\":{\"l#\":\"v\"}}}\n>" POD("p", ",\"labels\":{<,\"l#\":\"v\">}", BOX)},
    {"budgets", 500,
     TWO "<.{\"apiVersion\":\"policy/v1\",\"kind\":\"PodDisruptionBudget\",\"metadata\":{\"name\":"
         "\"b#\"},\"spec\":{\"minAvailable\":1," SELECTS "},\"status\":{\"disruptionsAllowed\":1}}"
         "\n>" POD("q", APP, "\"nodeName\":\"m0\"," BOX)
             POD("p", "",
                 "\"priority\":5,\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":"
                 "{\"cpu\":\"64\"}}}]")},
    {"replica_sets", 500,
     TWO "<.{\"apiVersion\":\"apps/v1\",\"kind\":\"ReplicaSet\",\"metadata\":{\"name\":\"r#\","
         "\"ownerReferences\":[{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"name\":\"d\","
         "\"uid\":\"u\",\"controller\":true}]},\"spec\":{" SELECTS
         ",\"replicas\":0}}\n>" POD("p", APP, BOX)},
    {"pods", 300, TWO "<." POD("p#", ",\"labels\":{\"app#\":\"a#\"}", BOX) ">"},
    {"pods_unlike", 300,
     NODE("n0", ",\"labels\":{\"h\":\"x\"}",
          "") "<." POD("p#", ",\"labels\":{\"app\":\"a#\"}",
                       TERMS("podAntiAffinity",
                             REQUIRED ":[{\"labelSelector\":{\"matchLabels\":{\"app\":\"a#\"}},"
                                      "\"topologyKey\":\"h\"}]")) ">"},
    {"nodes", 500, "<." NODE("n#", ",\"labels\":{\"l#\":\"v#\"}", "") ">" PLAIN},
    {"nodes_tainted", 500,
     "<." NODE(
         "n#", "",
         "\"taints\":[{\"key\":\"k#\",\"value\":\"v#\",\"effect\":\"NoSchedule\"}]") ">" PLAIN},
    {"unknown_labels_asked", 500,
     NODE("n0", ",\"labels\":{<,\"l#\":\"v#\">}",
          "") "<." POD("p#", "", "\"nodeSelector\":{\"k#\":\"v#\"}," BOX) ">"},
    {"unknown_claims", 500,
     TWO "<." POD("p#", "",
                  "\"volumes\":[{\"name\":\"v\",\"persistentVolumeClaim\":{\"claimName\":\"c#\"}}]"
                  "," BOX) ">"},
    {"container_resources", 30,
     TWO POD("p", "",
             "\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":"
             "{<,\"example.com/r#\":\"0\">}}}]")},
    {"resources_apart", 30,
     TWO POD("p", "",
             "\"containers\":[<,{\"name\":\"c#\",\"resources\":{\"requests\":"
             "{\"example.com/r#\":\"0\"}}}>]")},
    {"container_statuses", 250,
     TWO POD("q", "",
             "\"nodeName\":\"m0\",\"containers\":[<,{\"name\":\"c#\",\"resources\":{\"requests\":"
             "{\"cpu\":\"1m\"}}}>]},\"status\":{\"containerStatuses\":[<,{\"name\":\"c#\","
             "\"resources\":{\"requests\":{\"cpu\":\"1m\"}}}>]") PLAIN},
    {"host_ports", 250,
     TWO POD("p", "",
             "\"containers\":[{\"name\":\"c\",\"ports\":[<,{\"containerPort\":1,"
             "\"hostIP\":\"10.0.0.1\",\"hostPort\":1#}>]}]")},
    {"host_ports_met", 250,
     NODE("m", "", "")
         POD("q", "",
             "\"nodeName\":\"m\",\"containers\":[{\"name\":\"c\",\"ports\":[<,{\"containerPort\":1,"
             "\"hostIP\":\"10.0.0.1\",\"hostPort\":1#}>]}]")
             POD("p", "",
                 "\"containers\":[{\"name\":\"c\",\"ports\":[<,{\"containerPort\":1,"
                 "\"hostIP\":\"10.0.0.2\",\"hostPort\":1#}>]}]")},
    {"daemon_sets", 400,
     "<." NODE(
         "n#", "",
         "") ">{\"apiVersion\":\"apps/v1\",\"kind\":\"DaemonSet\",\"metadata\":{\"name\":\"d\"},"
             "\"spec\":{" SELECTS
             ",\"template\":{\"metadata\":{\"labels\":{\"app\":\"a\"}},\"spec\":{" BOX "}}}}\n"},
    {"deployments", 250,
     TWO "<.{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"metadata\":{\"name\":\"d#\"},"
         "\"spec\":{\"replicas\":1," SELECTS ",\"template\":{\"metadata\":{\"labels\":{\"app\":"
         "\"a\"}},\"spec\":{" BOX "}}}}\n>"},
    {"taints_tolerated", 250,
     NODE("n0", "", "\"taints\":[<,{\"key\":\"k#\",\"value\":\"v#\",\"effect\":\"NoSchedule\"}>]")
         POD("p", "", "\"tolerations\":[<,{\"key\":\"k#\",\"operator\":\"Exists\"}>]," BOX)},
    {"taints_to_avoid", 250,
     "<." NODE("n#", "", "\"taints\":[{\"key\":\"k#\",\"effect\":\"PreferNoSchedule\"}]") ">" POD(
         "p", "", "\"tolerations\":[<,{\"key\":\"k#\",\"operator\":\"Exists\"}>]," BOX)},
    {"spread_values", 100,
     NODE("n0", ",\"labels\":{\"k\":\"v\"}", "")
         POD("p", APP,
             "\"topologySpreadConstraints\":[<,{\"maxSkew\":1,\"topologyKey\":\"k\","
             "\"whenUnsatisfiable\":\"DoNotSchedule\",\"labelSelector\":{\"matchLabels\":"
             "{\"app\":\"a#\"}}}>]," BOX)},
    {"affinity_terms", 150,
     NODE("n0", ",\"labels\":{\"h\":\"x\"}", "") TWO POD(
         "p", APP,
         TERMS("podAffinity", REQUIRED ":[<,{" LABEL_SELECTS ",\"topologyKey\":\"h#\"}>]"))},
    {"affinity_terms_held", 150,
     NODE("n0", ",\"labels\":{<,\"h#\":\"x\">}", "")
         TWO POD("p", APP,
                 TERMS("podAffinity", REQUIRED ":[<,{" LABEL_SELECTS ",\"topologyKey\":\"h#\"}>]"))
             POD("q", APP, BOX)},
    {"anti_affinity_held", 150,
     NODE("n0", ",\"labels\":{<,\"h#\":\"x\">}", "") TWO POD(
         "p", APP,
         TERMS(
             "podAntiAffinity", REQUIRED
             ":[<,{\"labelSelector\":{\"matchLabels\":{\"app\":\"b\"}},\"topologyKey\":\"h#\"}>]"))
         POD("q", APP, BOX)},
    {"affinity_preferences_held", 150,
     NODE("n0", ",\"labels\":{<,\"h#\":\"x\">}", "") TWO POD(
         "p", APP,
         TERMS("podAffinity", PREFERRED ":[<,{\"weight\":1,\"podAffinityTerm\":{" LABEL_SELECTS
                                        ",\"topologyKey\":\"h#\"}}>]")) POD("q", APP, BOX)},
    {"node_preferences_apart", 150,
     NODE("n0", ",\"labels\":{<,\"l#\":\"x\">}", "")
         TWO POD("p", "",
                 TERMS("nodeAffinity", PREFERRED
                       ":[<,{\"weight\":1,\"preference\":{\"matchExpressions\":[{\"key\":\"l#\","
                       "\"operator\":\"In\",\"values\":[\"x\"]}]}}>]"))},
    {"node_fields", 250,
     TWO POD("p", "",
             TERMS("nodeAffinity", REQUIRED
                   ":{\"nodeSelectorTerms\":[<,{\"matchFields\":[{\"key\":\"metadata.name\","
                   "\"operator\":\"In\",\"values\":[\"n#\"]}]}>]}"))},
    {"claims", 250,
     TWO
     "<.{\"apiVersion\":\"v1\",\"kind\":\"PersistentVolumeClaim\",\"metadata\":{\"name\":\"c#\"},"
     "\"spec\":{\"volumeName\":\"pv#\",\"accessModes\":[\"ReadWriteOnce\"]},\"status\":{\"phase\":"
     "\"Bound\"}}\n"
     "{\"apiVersion\":\"v1\",\"kind\":\"PersistentVolume\",\"metadata\":{\"name\":\"pv#\"},"
     "\"spec\":{\"claimRef\":{\"name\":\"c#\",\"namespace\":\"default\"},\"csi\":{\"driver\":\"d\","
     "\"volumeHandle\":\"h#\"}}}\n>" POD(
         "p", "",
         "\"volumes\":[<,{\"name\":\"v#\",\"persistentVolumeClaim\":{\"claimName\":\"c#\"}}>]"
         "," BOX)},
    {"unknown_fields", 500, TWO POD("p", "", "<,\"f#\":{\"a\":1}>," BOX)},
    {"scheduling_gates", 500, TWO POD("p", "", "\"schedulingGates\":[<,{\"name\":\"g#\"}>]," BOX)},
    {"priority_classes", 250,
     TWO "<.{\"apiVersion\":\"scheduling.k8s.io/"
         "v1\",\"kind\":\"PriorityClass\",\"metadata\":{\"name\":\"c#\"},\"value\":#}\n>"
         "<." POD("p#", "", "\"priorityClassName\":\"c#\"," BOX) ">"},
    {"victims", 100,
     NODE("m", "", "") "<." POD(
         "q#", "",
         "\"nodeName\":\"m\",\"priority\":#,\"containers\":[{\"name\":\"c\",\"resources\":{"
         "\"requests\":{\"cpu\":\"64m\"}}}]") ">" POD("p", "",
                                                      "\"priority\":99999,\"containers\":[{"
                                                      "\"name\":\"c\",\"resources\":{\"requests\":{"
                                                      "\"cpu\":\"60\"}}}]")},
    {"conditions", 500,
     TWO POD("p", "",
             BOX "},\"status\":{\"conditions\":[<,{\"type\":\"t#\",\"status\":\"True\"}>]")},
    {"events", 500,
     TWO "<.{\"apiVersion\":\"v1\",\"kind\":\"Event\",\"metadata\":{\"name\":\"e#\"},"
         "\"involvedObject\":{\"kind\":\"Pod\",\"name\":\"p\"},\"reason\":\"FailedScheduling\","
         "\"message\":\"m#\"}\n>" PLAIN},
    {"yaml_anchors", 250,
     "apiVersion: v1\nkind: Pod\nmetadata: {name: p, labels: {<,l#: &a# v#>}, annotations: {<,l#: "
     "*a#>}}\n"
     "spec: {containers: [{name: c}]}\n"},
    {"yaml_keys", 250,
     "apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\n  labels:\n<.    l#: v#\n>"
     "spec:\n  containers:\n  - name: c\n"},
    {"yaml_documents", 250,
     "<.apiVersion: v1\nkind: Pod\nmetadata:\n  name: p#\nspec:\n  containers:\n  - name: "
     "c\n---\n>"},
    {"long_name", 20000, TWO POD("p<.x>", "", BOX)},
    {"long_label", 20000,
     NODE("n0", ",\"labels\":{\"l\":\"<.x>\"}", "")
         POD("p", "", "\"nodeSelector\":{\"l\":\"<.y>\"}," BOX)},
    {"yaml_flow", 500,
     "apiVersion: v1\nkind: Pod\nmetadata: {name: p, labels: {<,l#: v#>}}\n"
     "spec: {containers: [{name: c}]}\n"},
};

#endif
