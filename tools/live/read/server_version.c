/* Reads the version of an API server and chooses the rules for it. */
#include "live/read/server_version.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/plain_text.h"
#include "live/log/log.h"

enum { VERSIONS_MAX = 32 };

/* The oldest and the newest minor version whose rules are known. */
static void known_minors(int *oldest, int *newest)
{
    uint32_t versions[VERSIONS_MAX] = {0};
    const uint32_t found = berth_kubernetes_versions(versions, VERSIONS_MAX);
    *oldest = *newest = (int)BERTH_KUBERNETES_MINOR(versions[0]);
    for (uint32_t i = 1; i < found && i < VERSIONS_MAX; i++) {
        const int minor = (int)BERTH_KUBERNETES_MINOR(versions[i]);
        *oldest = minor < *oldest ? minor : *oldest;
    }
}

/* The newest known rules decide for a server that is one release newer. */
static void choose_rules(server_version *version)
{
    int oldest, newest;
    known_minors(&oldest, &newest);
    snprintf(version->newest, sizeof(version->newest), "1.%d", newest);
    version->is_newer = version->minor == newest + 1;
    if (version->is_newer) {
        version->rules = version->newest;
        LOG_WARNING("the API server is newer than the newest rules known: these decide",
                    "kubernetes", version->text, "rules", version->rules);
    } else if (version->minor >= oldest && version->minor <= newest) {
        version->rules = version->text;
    }
}

bool server_version_parse(berth_str body, const char *rules, server_version *out)
{
    json_t *root = json_loadb(body.data, body.len, 0, NULL);
    const char *major = json_string_value(json_object_get(root, "major"));
    const char *minor = json_string_value(json_object_get(root, "minor"));
    const bool good = major != NULL && minor != NULL;
    *out = (server_version){.rules = rules};
    if (good) {
        snprintf(out->text, sizeof(out->text), "%.4s.%d", major, atoi(minor));
        out->minor = strcmp(major, "1") == 0 ? atoi(minor) : 0;
    }
    json_decref(root);
    if (good && rules == NULL)
        choose_rules(out);
    return good;
}

void server_version_refuse(const server_version *version, const char *command)
{
    int oldest, newest;
    known_minors(&oldest, &newest);
    plain_text_line(stderr,
                    "berth %s: the API server is of Kubernetes %s, whose rules are not known; "
                    "--kubernetes 1.%d to 1.%d says which to use",
                    command, version->text, oldest, newest);
}
