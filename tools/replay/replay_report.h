/* The report of a replay, for people and for programs. */
#ifndef BERTH_TOOLS_REPLAY_REPORT_H
#define BERTH_TOOLS_REPLAY_REPORT_H

#include "cli/output.h"
#include "replay/replay.h"

/* The part of the report that depends on the machine. */
typedef struct replay_speed {
    double seconds;          /* whole replay, including reading the trace */
    double decision_seconds; /* the scheduler's steps alone */
} replay_speed;

/* Print a table; its last line is about speed. */
void replay_report_print(const replay *r, const replay_speed *speed, FILE *file);

/* Write one document. With `speed` it ends with a member "wallClock", the only one that differs
 * when the same replay is repeated; NULL omits it. */
void replay_report_write(const replay *r, const replay_speed *speed, FILE *file);

/* Write waits by percentile, 0 to 100, as comma-separated values. */
void replay_report_waits(const replay *r, FILE *file);

#endif
