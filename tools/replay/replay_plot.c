/* Draws pictures of a replay: writes the gnuplot script, and runs it. */
#include "replay/replay_plot.h"

#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/exits.h"

enum {
    FIRST_RESOURCE_COLUMN = 14, /* after the time and the 12 counts; 4 columns per resource */
    SHARE_OFFSET = 2,
    FRAGMENTATION_OFFSET = 3,
};

const char *const replay_plots_names[] = {"svg", "png", "none", NULL};

typedef struct time_unit {
    const char *name;
    double seconds;
} time_unit;

/* The unit in which the replay's span is easy to read. */
static time_unit unit_of(const replay *r)
{
    static const time_unit units[] = {{"seconds", 1}, {"minutes", 60}, {"hours", 3600}};
    double span = (double)(r->now_ns - r->start_ns) / 1e9;
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (span < 200 * units[i].seconds)
            return units[i];
    return (time_unit){"days", 86400};
}

/* Set ranges that are never a single point, which gnuplot warns about: if nothing is above 0, or no
 * time passes. */
static void set_ranges(const replay *r, double unit_seconds, FILE *file, bool flat)
{
    double start = (double)r->start_ns / 1e9 / unit_seconds;
    fputs(flat ? "set yrange [0:1]\n" : "set yrange [0:1<*]\n", file);
    if (r->now_ns == r->start_ns)
        fprintf(file, "set xrange [%.0f:%.0f]\n", start, start + 1);
}

static bool nothing_requested(const replay_series *s)
{
    for (size_t i = 0; i < s->row_count * s->width; i++)
        if (s->cells[i].requested > 0)
            return false;
    return true;
}

static bool nothing_fragmented(const replay_series *s)
{
    for (size_t i = 0; i < s->row_count * s->width; i++)
        if (s->cells[i].fragmentation > 0)
            return false;
    return true;
}

static bool nobody_there(const replay_series *s)
{
    for (size_t row = 0; row < s->row_count; row++)
        if (s->counts[row].waiting > 0 || s->counts[row].running > 0)
            return false;
    return true;
}

static void begin(FILE *file, replay_plots kind, const char *name, const char *title, const char *x,
                  const char *y)
{
    fprintf(file,
            "\nset output \"%s.%s\"\n"
            "set title \"%s\"\n"
            "set xlabel \"%s\"\n"
            "set ylabel \"%s\"\n",
            name, kind == PLOTS_SVG ? "svg" : "png", title, x, y);
}

/* Writes a title in quotes. gnuplot runs text between backquotes, so characters that cannot occur
 * in a Kubernetes name are shown as '?'. */
static void put_title(FILE *file, berth_str name)
{
    fputc('"', file);
    for (uint32_t i = 0; i < name.len; i++) {
        char c = name.data[i];
        bool known = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                     (c != '\0' && strchr("-_./", c) != NULL);
        fputc(known ? c : '?', file);
    }
    fputc('"', file);
}

/* Plot one curve per resource, from one of its columns, in percent. */
static void plot_resources(const replay *r, FILE *file, double unit_seconds, int offset)
{
    const char *lead = "plot";
    for (uint32_t i = 0; i < r->load.resources.count; i++) {
        berth_str name = word_table_get(&r->load.resources, i);
        fprintf(file, "%s \"series.csv\" using ($1/%.0f):($%u*100) with steps title ", lead,
                unit_seconds, FIRST_RESOURCE_COLUMN + 4 * i + (uint32_t)offset);
        put_title(file, name);
        lead = ", \\\n    ";
    }
    fputc('\n', file);
}

void replay_plot_script(const replay *r, replay_plots kind, FILE *file)
{
    const time_unit unit = unit_of(r);
    char axis[32];
    snprintf(axis, sizeof(axis), "time, %s", unit.name);
    fprintf(file,
            "# Pictures of a replay: gnuplot plots.gp\n"
            "set terminal %s\n"
            "set datafile separator comma\n"
            "set key below noenhanced\n"
            "set grid\n"
            "set colorsequence podo\n"
            "set autoscale xfix\n",
            kind == PLOTS_SVG ? "svg size 960,480 background \"white\" font \"sans,12\""
                              : "pngcairo size 960,480 font \"sans,10\"");
    begin(file, kind, "utilization", "Requested share of allocatable", axis, "percent");
    set_ranges(r, unit.seconds, file, nothing_requested(&r->series));
    plot_resources(r, file, unit.seconds, SHARE_OFFSET);
    begin(file, kind, "fragmentation", "Free, but of no use to a pod of the mix", axis,
          "percent of what is free");
    set_ranges(r, unit.seconds, file, nothing_fragmented(&r->series));
    plot_resources(r, file, unit.seconds, FRAGMENTATION_OFFSET);
    begin(file, kind, "queue", "Pods in the queue and on nodes", axis, "pods");
    set_ranges(r, unit.seconds, file, nobody_there(&r->series));
    fprintf(file,
            "plot \"series.csv\" using ($1/%.0f):4 with steps title \"waiting\", \\\n"
            "     \"series.csv\" using ($1/%.0f):3 with steps title \"on nodes\"\n",
            unit.seconds, unit.seconds);
    begin(file, kind, "waits", "Time from submission to binding", "percent of placements",
          "seconds");
    fprintf(file, "set xrange [0:100]\nset yrange %s\n", r->wait_count == 0 ? "[0:1]" : "[0:1<*]");
    fputs("plot \"waits.csv\" using 1:2 with lines title \"wait\"\n", file);
}

/* Remove the pictures that the script draws: gnuplot would write through a link of that name. */
static void remove_pictures(const char *folder, replay_plots kind)
{
    static const char *const names[] = {"utilization", "fragmentation", "queue", "waits"};
    char path[PATH_MAX];
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        snprintf(path, sizeof(path), "%s/%s.%s", folder, names[i], replay_plots_names[kind]);
        unlink(path);
    }
}

berth_status replay_plot_run(const char *folder, const char *script, replay_plots kind,
                             berth_error *error)
{
    char program[] = "gnuplot";
    char file[64];
    char *const arguments[] = {program, file, NULL};
    posix_spawn_file_actions_t actions;
    pid_t child = 0;
    int status = 0;
    snprintf(file, sizeof(file), "%s", script);
    remove_pictures(folder, kind);
    if (posix_spawn_file_actions_init(&actions) != 0)
        return error_set(error, BERTH_E_NOMEM, NULL, "gnuplot cannot be started");
    posix_spawn_file_actions_addchdir_np(&actions, folder);
    int code = posix_spawnp(&child, program, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (code == ENOENT)
        return error_set(
            error, BERTH_E_NOT_FOUND, NULL,
            "there is no gnuplot to draw with (Debian: gnuplot-nox); 'gnuplot %s' in %s "
            "draws later",
            script, folder);
    if (code != 0)
        return error_set(error, BERTH_E_IO, NULL, "gnuplot cannot be started: %s", strerror(code));
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return error_set(error, BERTH_E_IO, NULL, "gnuplot failed on %s/%s", folder, script);
    return BERTH_OK;
}
