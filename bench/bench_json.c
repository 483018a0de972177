/* Reading manifests: text to objects, without an engine to take them. Nodes and pods of the program's
 * workloads, one object a line; and the same pods as kubectl indents them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "berth/kube.h"
#include "harness.h"
#include "manifest.h"
#include "workloads.h"

enum { OBJECTS = 2000 };

typedef struct manifest_text {
    char *data;
    size_t bytes;
} manifest_text;

static berth_status write_object(void *context, const berth_object *object, berth_error *error)
{
    (void)error;
    manifest_write(context, object);
    return BERTH_OK;
}

static bool make_text(const char *what, manifest_text *out)
{
    workload_spec spec = workload_spec_default();
    char reason[160];
    FILE *file = open_memstream(&out->data, &out->bytes);
    if (file == NULL || !workload_spec_parse(what, &spec, reason, sizeof(reason)))
        return false;
    output o;
    manifest_open(&o, file);
    workload_source *source = workload_source_create(&spec);
    berth_status status = workload_source_make_all(source, write_object, &o, NULL);
    workload_source_destroy(source);
    manifest_close(&o);
    return fclose(file) == 0 && status == BERTH_OK;
}

/* The text as kubectl prints it: a line a value, four spaces a level. Strings here hold no escapes. */
static bool indent(manifest_text *text)
{
    manifest_text wide = {0};
    FILE *file = open_memstream(&wide.data, &wide.bytes);
    int level = 0;
    bool quoted = false;
    for (size_t i = 0; file != NULL && i < text->bytes; i++) {
        char c = text->data[i];
        quoted ^= c == '"';
        if (quoted || strchr("{[}],", c) == NULL) {
            if (quoted || c != '\n')
                fputc(c, file);
            continue;
        }
        level += (c == '{' || c == '[') - (c == '}' || c == ']');
        if (c == '}' || c == ']')
            fprintf(file, "\n%*s%c", 4 * level, "", c);
        else
            fprintf(file, "%c\n%*s", c, 4 * level, "");
    }
    if (file == NULL || fclose(file) != 0)
        return false;
    free(text->data);
    *text = wide;
    return true;
}

static berth_status count_object(void *context, const berth_object *object,
                                 const berth_error *origin, berth_error *error)
{
    (void)object;
    (void)origin;
    (void)error;
    ++*(uint64_t *)context;
    return BERTH_OK;
}

static void read_text(bench_state *state, const char *what, bool wide)
{
    manifest_text text = {0};
    bool ok = make_text(what, &text) && (!wide || indent(&text));
    const berth_read_options options = {.size = sizeof(options)};
    uint64_t objects = 0;
    while (ok && bench_next(state)) {
        berth_reader *reader = NULL;
        const berth_str borrowed = {text.data, (uint32_t)text.bytes};
        ok = berth_reader_create(&options, &reader) == BERTH_OK &&
             berth_reader_text(reader, borrowed, "benchmark", count_object, &objects, NULL) ==
                 BERTH_OK;
        berth_reader_destroy(reader);
    }
    if (!ok)
        bench_fail(state, "the text was not read");
    else if (objects < (uint64_t)bench_rounds(state) * OBJECTS)
        bench_fail(state, "objects are missing");
    bench_bytes(state, bench_rounds(state) * (int64_t)text.bytes);
    bench_items(state, (int64_t)objects);
    free(text.data);
}

static void json_nodes(bench_state *state)
{
    read_text(state, "workload=basic,nodes=2000,pods=0", false);
}
BENCH(json_nodes, BENCH_ONCE)

static void json_pods(bench_state *state)
{
    read_text(state, "workload=basic,nodes=1,pods=2000", false);
}
BENCH(json_pods, BENCH_ONCE)

static void json_pods_indented(bench_state *state)
{
    read_text(state, "workload=basic,nodes=1,pods=2000", true);
}
BENCH(json_pods_indented, BENCH_ONCE)

static void json_pods_mixed(bench_state *state)
{
    read_text(state, "workload=mixed,nodes=100,pods=2000", false);
}
BENCH(json_pods_mixed, BENCH_ONCE)
