/* berth report: writes an HTML page about a cluster or a replay. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/exits.h"
#include "commands/commands.h"
#include "plans/cluster_side.h"
#include "report/format_words.h"
#include "report/report_cluster.h"
#include "report/report_page.h"
#include "report/report_replay.h"

typedef struct report {
    cluster_side side;
    const char *path;
    const char *title;
    const char *folder; /* folder of a replay; NULL: the input is a cluster */
} report;

static const command_help help = {
    .name = "report",
    .synopsis = "[OPTION...] -f FILE... | --live | -f FOLDER | --synthetic SPEC",
    .text =
        "Writes a page of HTML, one file that needs no network. For a cluster it shows the zones\n"
        "and nodes as a heat map, the use of each zone and resource, the free capacity of nodes\n"
        "that take pods and of those that are cordoned, tainted or not ready, and the pods that\n"
        "find no place, by reason; with --prices what nodes cost, and how much of it is idle.\n"
        "Pending pods are placed first, as 'berth schedule' does. For a replay, FOLDER is what\n"
        "berth replay --output-dir wrote, and the page shows its results and timelines. The page\n"
        "works by keyboard and with a screen reader, in light and dark, on a phone and on paper.\n"
        "The same input gives the same page, byte for byte.\n",
    .examples =
        "  berth report -f cluster.json -o cluster.html\n"
        "  sh -c \"$(berth dump)\" && berth report -f cluster.json -o cluster.html\n"
        "  berth report -f cluster.json -f deployment.yaml --title \"With the sale\" -o sale.html\n"
        "  berth report -f cluster.json --config packed.yaml --anew -o packed.html\n"
        "  berth report -f cluster.json --prices prices.csv -o costs.html\n"
        "  berth replay -o out trace.jsonl.gz && berth report -f out -o replay.html\n",
};

/* Whether a folder was written by berth replay; any other folder contains files of a cluster. */
static bool is_replay(const char *path)
{
    static const char *const names[] = {"report.json", "series.csv"};
    bool any = false;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char name[4096];
        snprintf(name, sizeof(name), "%s/%s", path, names[i]);
        any = any || access(name, F_OK) == 0;
    }
    return any;
}

static berth_status make_data(report *r, FILE *file, berth_error *error)
{
    if (r->folder != NULL)
        return report_replay_write(r->folder, r->title, file, error);
    TRY(cluster_side_make(&r->side, error));
    if (r->title == NULL)
        r->title = r->side.input.live.cluster.server;
    return report_cluster_write(&r->side, r->title, file, error);
}

static berth_status write_page(const report *r, const char *data, size_t bytes, berth_error *error)
{
    if (strcmp(r->path, "-") == 0) {
        report_page_write(data, bytes, false, stdout);
        return BERTH_OK;
    }
    berth_output_file *page = NULL;
    TRY(berth_output_file_open(r->path, &page, error));
    report_page_write(data, bytes, false, berth_output_file_stream(page));
    return berth_output_file_commit(page, error);
}

static int run(report *r)
{
    berth_error error = {.code = BERTH_OK};
    char *data = NULL;
    size_t bytes = 0;
    FILE *memory = open_memstream(&data, &bytes);
    if (memory == NULL)
        return exit_status(help.name, "making room for the page", BERTH_E_NOMEM);
    berth_status status = make_data(r, memory, &error);
    if (fclose(memory) != 0 && status == BERTH_OK)
        status = error_set(&error, BERTH_E_NOMEM, NULL, "there is no memory for the page");
    if (status == BERTH_OK)
        status = write_page(r, data, bytes, &error);
    free(data);
    return status == BERTH_OK ? EXIT_DONE : exit_error(help.name, &error);
}

static int check(report *r, const text_list *operands)
{
    cluster_input *input = &r->side.input;
    if (is_format_word(r->path))
        return exit_usage(help.name,
                          "--output names a file, and '%s' is a format: a report is a page of "
                          "HTML, as in --output report.html. 'berth schedule --output json' "
                          "prints figures as JSON. For a file of that name, say --output ./%s",
                          r->path, r->path);
    const text_list *lists[] = {&input->files, operands};
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < lists[k]->count; i++)
            if (is_replay(lists[k]->items[i]))
                r->folder = lists[k]->items[i];
    const bool live =
        input->live.wanted || input->live.kubeconfig != NULL || input->live.context != NULL;
    if (r->folder != NULL && input->prices.path != NULL)
        return exit_usage(help.name, "--prices needs a cluster: a replay has no instance types");
    if (r->folder != NULL && (live || input->files.count + operands->count > 1))
        return exit_usage(help.name, "a folder of berth replay is reported on alone");
    int code = r->folder == NULL          ? cluster_input_check(input, operands, help.name)
               : input->synthetic != NULL ? exit_usage(help.name, "files and --synthetic exclude "
                                                                  "each other")
                                          : EXIT_DONE;
    const text_list *given = &input->expanded.given;
    if (r->title == NULL && !input->live.wanted)
        r->title = r->folder != NULL   ? r->folder
                   : given->count == 0 ? input->synthetic
                                       : given->items[0];
    return code;
}

int cmd_report(int argc, char **argv)
{
    report r = {.path = "report.html"};
    text_list operands = {0};
    const option own[] = {
        {.name = "output",
         .letter = 'o',
         .kind = OPTION_TEXT,
         .value = "FILE",
         .target = &r.path,
         .help = "write the page there; '-' is standard output (default:\nreport.html)"},
        {.name = "title",
         .kind = OPTION_TEXT,
         .value = "TEXT",
         .target = &r.title,
         .help = "the title of the page (default: the input's name)"},
        prices_option(&r.side.input.prices),
        {.name = "anew",
         .kind = OPTION_FLAG,
         .target = &r.side.anew,
         .help = "take running pods off first and place them again, too"},
    };
    const option_group groups[] = {cluster_input_options(&r.side.input),
                                   engine_setup_options(&r.side.setup), OPTION_GROUP(own)};
    options_result parsed = options_parse(&help, groups, 3, &operands, argc, argv);
    int code = parsed == OPTIONS_WRONG ? EXIT_USAGE : EXIT_DONE;
    if (parsed == OPTIONS_RUN)
        code = check(&r, &operands);
    if (parsed == OPTIONS_RUN && code == EXIT_DONE)
        code = run(&r);
    text_list_free(&operands);
    cluster_side_release(&r.side);
    return code;
}
