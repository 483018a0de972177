/* berth import: writes a published trace as Kubernetes objects. Tasks have neither node nor times:
 * the result is a list of pods to place one after the other. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/options.h"
#include "commands/commands.h"
#include "traces/openb.h"
#include "workloads/draft.h"
#include "workloads/manifest.h"

typedef struct import {
    output out;
    draft draft;
} import;

static const command_help help = {
    .name = "import",
    .synopsis = "openb NODES.csv PODS.csv",
    .text = "Writes a published trace on standard output as a Kubernetes List that kubectl and\n"
            "'berth schedule' read. Known traces:\n"
            "  openb   GPU cluster of Alibaba, 2023: nodes.csv and one of the pods*.csv\n",
    .examples = "  berth import openb nodes.csv pods.csv > openb.json\n"
                "  berth import openb nodes.csv pods.csv | gzip > openb.json.gz\n"
                "  berth import openb nodes.csv pods.csv | berth schedule -f - --summary\n"
                "  berth import openb nodes.csv pods.csv | berth report -f - -o openb.html\n",
};

static berth_status write_nodes(import *im, openb_nodes *nodes, berth_error *error)
{
    bool more = true;
    berth_status status = BERTH_OK;
    while (status == BERTH_OK) {
        status = openb_nodes_next(nodes, &im->draft, &more, error);
        if (status != BERTH_OK || !more)
            break;
        manifest_write(&im->out, &im->draft.object);
    }
    return status;
}

static berth_status write_pods(import *im, openb_pods *pods, berth_error *error)
{
    bool more = true;
    openb_times times;
    berth_status status = BERTH_OK;
    while (status == BERTH_OK) {
        status = openb_pods_next(pods, &im->draft, &times, &more, error);
        if (status != BERTH_OK || !more)
            break;
        manifest_write(&im->out, &im->draft.object);
    }
    return status;
}

/* ---- the command ---- */

static berth_status convert_openb(import *im, const char *nodes_path, const char *pods_path,
                                  berth_error *error)
{
    openb_nodes nodes;
    openb_pods pods = {.table = {.file = NULL}};
    berth_status status = openb_nodes_open(&nodes, nodes_path, error);
    if (status == BERTH_OK)
        status = openb_pods_open(&pods, pods_path, error);
    if (status == BERTH_OK)
        status = write_nodes(im, &nodes, error);
    if (status == BERTH_OK)
        status = write_pods(im, &pods, error);
    openb_nodes_close(&nodes);
    openb_pods_close(&pods);
    return status;
}

/* The List is built in memory, so a bad line leaves no partial output. */
static int import_openb(const char *nodes_path, const char *pods_path)
{
import im = {.draft = {.text_used = 0 } };
    berth_error error = {.code = BERTH_OK};
    char *text = NULL;
    size_t text_len = 0;
    FILE *memory = open_memstream(&text, &text_len);
    if (memory == NULL)
        return exit_status(help.name, "making room for the objects", BERTH_E_NOMEM);
    manifest_open(&im.out, memory, MANIFEST_FLAT);
    berth_status status = convert_openb(&im, nodes_path, pods_path, &error);
    int code = EXIT_DONE;
    if (status != BERTH_OK) {
        code = exit_error(help.name, &error);
        fclose(memory);
    } else {
        manifest_close(&im.out);
        if (fclose(memory) != 0)
            code = exit_status(help.name, "making room for the objects", BERTH_E_NOMEM);
        else
            fwrite(text, 1, text_len, stdout);
    }
    free(text);
    return code;
}

int cmd_import(int argc, char **argv)
{
    text_list operands = {0};
    options_result parsed = options_parse(&help, NULL, 0, &operands, argc, argv);
    int code = parsed == OPTIONS_WRONG ? EXIT_USAGE : EXIT_DONE;
    if (parsed == OPTIONS_RUN) {
        if (operands.count == 0)
            code = exit_usage(help.name, "no trace named");
        else if (strcmp(operands.items[0], "openb") != 0)
            code = exit_usage(help.name, "unknown trace '%s'; known: openb", operands.items[0]);
        else if (operands.count != 3)
            code = exit_usage(help.name, "openb takes two files: NODES.csv PODS.csv");
        else
            code = import_openb(operands.items[1], operands.items[2]);
    }
    text_list_free(&operands);
    return code;
}
