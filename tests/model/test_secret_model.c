/* Property test: the results of an engine do not depend on the secret of its hash tables
 * (base/hash.h). The same random operations run on engines with several secrets, one after the
 * other. These must be equal: each result with its explanation, the states in between, the dump and
 * the digest at the end, and those of an engine that reads the dump.
 *
 * Usage: test_secret_model [--seed S] [--rounds N] [--ops N]. Round r of seed S is round 0 of seed
 * S + r; a failure prints this to replay it. BERTH_TEST_SEED replaces the seed of a run without
 * --seed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "berth/kube.h"
#include "engine_script.h"
#include "rounds.h"

enum { SECRETS = 4, STATE_EVERY = 8 };

static const uint64_t secrets[SECRETS] = {0, 1, UINT64_C(0x8000000000000000),
                                          UINT64_C(0x5bd1e995c6a4a793)};

/* The results of a run: a text for each step; those of the first run are kept. */
typedef struct transcript {
    char **texts;
    size_t count, capacity;
} transcript;

typedef struct trial {
    script s;
    berth_engine_config config;
    transcript *kept;
    bool compares;
    size_t step;
    text state;
    unsigned long ops;
    uint64_t seed;
} trial;

static struct {
    unsigned long runs, texts, dumped_bytes;
} tally;

/* ---- transcripts ---- */

/* Takes ownership of `told`. */
static void tell(trial *t, const char *what, char *told)
{
    transcript *kept = t->kept;
    tally.texts++;
    if (t->compares) {
        script_same(&t->s, what, t->step < kept->count ? kept->texts[t->step] : "nothing", told);
        t->step++;
        free(told);
        return;
    }
    if (kept->count == kept->capacity) {
        kept->capacity = kept->capacity * 2 + 256;
        kept->texts = realloc(kept->texts, kept->capacity * sizeof(*kept->texts));
        if (kept->texts == NULL)
            abort();
    }
    kept->texts[kept->count++] = told;
}

static void transcript_free(transcript *kept)
{
    for (size_t i = 0; i < kept->count; i++)
        free(kept->texts[i]);
    free(kept->texts);
    *kept = (transcript){0};
}

/* ---- dumps ---- */

static berth_status keep_piece(void *context, berth_str piece, berth_error *error)
{
    text *to = context;
    (void)error;
    to->bytes = realloc(to->bytes, to->count + piece.len + 1);
    if (to->bytes == NULL)
        abort();
    memcpy(to->bytes + to->count, piece.data, piece.len);
    to->count += piece.len;
    to->bytes[to->count] = '\0';
    return BERTH_OK;
}

static text dump_of(trial *t, berth_engine *engine)
{
    berth_error error = {0};
    text to = {0};
    (void)keep_piece(&to, (berth_str){"", 0}, NULL);
    script_must(&t->s, "dump", berth_engine_dump(engine, keep_piece, &to, &error), &error);
    tally.dumped_bytes += to.count;
    return to;
}

static void tell_digest(trial *t, const berth_engine *engine)
{
    char digest[32];
    snprintf(digest, sizeof(digest), "%016llx", (unsigned long long)berth_engine_digest(engine));
    tell(t, "the digest", strdup(digest));
}

static void tell_whole(trial *t)
{
    berth_error error = {0};
    berth_engine *copy = NULL;
    script_must(&t->s, "check", berth_engine_check(t->s.engine, &error), &error);
    tell_digest(t, t->s.engine);
    text dumped = dump_of(t, t->s.engine);
    script_must(&t->s, "create", berth_engine_create(&t->config, &copy, &error), &error);
    if (!t->s.failed)
        script_must(&t->s, "load",
                    berth_engine_load_text(copy, (berth_str){dumped.bytes, (uint32_t)dumped.count},
                                           "dump", NULL, NULL, &error),
                    &error);
    tell(t, "the dump", dumped.bytes);
    if (!t->s.failed) {
        tell_digest(t, copy);
        tell(t, "the dump of what was loaded", dump_of(t, copy).bytes);
    }
    berth_engine_destroy(copy);
}

/* ---- runs ---- */

static void run(trial *t, const operation *op)
{
    tell(t, "an operation", script_run(&t->s, t->s.engine, op));
}

static void fill_step(void *context, const operation *op)
{
    run(context, op);
}

static void start(trial *t)
{
    berth_engine_config_init(&t->config);
    script_profiles(&t->s, 20);
    t->config.threads = 1;
    t->config.seed = t->seed;
    t->config.keep_objects = true;
    script_open(&t->s, &t->config, NULL);
}

static void operate(trial *t)
{
    script_fill(&t->s, fill_step, t);
    for (t->s.op = 1; t->s.op <= t->ops && !t->s.failed; t->s.op++) {
        const operation op = script_operation(&t->s);
        run(t, &op);
        if (t->s.op % STATE_EVERY == 0 && !t->s.failed) {
            script_dump(&t->s, t->s.engine, &t->state);
            tell(t, "the state", strdup(t->state.bytes));
        }
    }
}

static bool run_once(const round_options *o, uint64_t seed, uint32_t which, transcript *kept)
{
    static trial t;
    t = (trial){.kept = kept, .compares = which > 0, .ops = o->ops, .seed = seed};
    berth__hash_set_secret(secrets[which]);
    script_begin(&t.s, "test_secret_model", seed, o->ops);
    start(&t);
    operate(&t);
    if (!t.s.failed)
        tell_whole(&t);
    if (t.compares && t.step != kept->count)
        script_same(&t.s, "the end", "the same number of steps", "another");
    free(t.state.bytes);
    script_close(&t.s);
    tally.runs++;
    return !t.s.failed;
}

static bool run_round(const round_options *o, uint64_t seed)
{
    transcript kept = {0};
    bool ok = true;
    for (uint32_t which = 0; which < SECRETS && ok; which++)
        ok = run_once(o, seed, which, &kept);
    transcript_free(&kept);
    return ok;
}

int main(int argc, char **argv)
{
    int code = rounds_run(argc, argv, (round_options){.rounds = 25, .ops = 80}, run_round);
    printf("%lu runs, %lu texts told, %lu bytes dumped\n", tally.runs, tally.texts,
           tally.dumped_bytes);
    return code;
}
