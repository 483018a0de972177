/* What came of a replay, for people and for programs. */
#ifndef BERTH_TOOLS_REPLAY_REPORT_H
#define BERTH_TOOLS_REPLAY_REPORT_H

#include "cli/output.h"
#include "replay/replay.h"

/* The part of a second-by-second report that depends on the machine. */
typedef struct replay_speed {
    double seconds;          /* of the whole replay, reading the trace included */
    double decision_seconds; /* of the steps of the scheduler alone */
} replay_speed;

/* A table for reading, its last line about speed. */
void replay_report_print(const replay *r, const replay_speed *speed, FILE *file);

/* One document. With `speed` it ends in a member "wallClock", the only one that another run of
 * the same replay does not repeat; NULL leaves it out. */
void replay_report_write(const replay *r, const replay_speed *speed, FILE *file);

/* Waits by percentile, 0 to 100, as comma-separated values. */
void replay_report_waits(const replay *r, FILE *file);

#endif
