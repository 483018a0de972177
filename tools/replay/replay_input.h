/* Where a replay's events come from: a cluster to start with, and a trace. */
#ifndef BERTH_TOOLS_REPLAY_INPUT_H
#define BERTH_TOOLS_REPLAY_INPUT_H

#include <stdbool.h>

#include "berth/berth.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "loading/input_files.h"
#include "traces/trace.h"
#include "traces/trace_lines.h"
#include "traces/trace_openb.h"
#include "traces/trace_synthetic.h"

enum { REPLAY_INPUT_OPTIONS = 7 };

typedef struct replay_input {
    /* given on the command line */
    text_list cluster_files; /* once checked: without folders and lists with commas */
    bool recursive;
    input_files cluster_names; /* what they consist of */
    const char *synthetic;
    trace_arrivals arrivals;
    uint64_t draw_percent;
    bool no_departures;
    text_list operands;
    uint64_t seed; /* set by the caller before reading */
    option options[REPLAY_INPUT_OPTIONS];
    /* while it is read */
    progress bar;
    uint64_t event_count;
    int64_t start_ns;
    berth_reader *reader;
    trace_lines lines;
    trace_openb openb;
    trace_event_fn each;
    void *context;
} replay_input;

/* The options as a group for options_parse. `input` must not move afterwards. */
option_group replay_input_options(replay_input *input);

/* After parsing: exactly one trace. Returns EXIT_DONE, or EXIT_USAGE, said on standard error. */
int replay_input_check(replay_input *input, const char *command);

/* Whether pods and nodes may come up that must be made again from what the input says (traces
 * and clusters from files can hold anything; openb and synthetic ones have no failures and
 * priorities of their own). */
bool replay_input_is_open(const replay_input *input);

/* Hand out the cluster's objects, at the time of the trace's first event, then the trace.
 * `engine` is asked for its nodes by DaemonSets. What the events are made of lives until
 * replay_input_release. */
berth_status replay_input_read(replay_input *input, berth_engine *engine, trace_event_fn each,
                               void *context, berth_error *error);
void replay_input_release(replay_input *input);

#endif
