/* The source of a replay's events: an initial cluster, and a trace. */
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
    /* options */
    text_list cluster_files; /* after the check: folders and lists with commas are expanded */
    bool recursive;
    input_files cluster_names; /* memory for the expanded names */
    const char *synthetic;
    trace_arrivals arrivals;
    uint64_t draw_percent;
    bool no_departures;
    text_list operands;
    uint64_t seed; /* set by the caller before reading */
    option options[REPLAY_INPUT_OPTIONS];
    /* state of reading */
    progress bar;
    uint64_t event_count;
    int64_t start_ns;
    berth_reader *reader;
    trace_lines lines;
    trace_openb openb;
    trace_event_fn each;
    void *context;
} replay_input;

/* The options, as a group for options_parse. `input` must not move afterwards. */
option_group replay_input_options(replay_input *input);

/* After parsing: check that there is exactly one trace. Returns EXIT_DONE, or EXIT_USAGE after a
 * message on standard error. */
int replay_input_check(replay_input *input, const char *command);

/* Whether pods and nodes may have to be made again from copies. Traces and clusters from files can
 * contain anything; openb and synthetic traces have neither failures nor priorities. */
bool replay_input_is_open(const replay_input *input);

/* Pass the cluster's objects, at the time of the trace's first event, and then the trace to `each`.
 * DaemonSets take their nodes from `engine`. The data of events lives until
 * replay_input_release. */
berth_status replay_input_read(replay_input *input, berth_engine *engine, trace_event_fn each,
                               void *context, berth_error *error);
void replay_input_release(replay_input *input);

#endif
