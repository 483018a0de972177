/* Writes the result files of a replay, each completely or not at all. */
#include "replay/replay_files.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/exits.h"
#include "replay/replay_report.h"

enum { PATH_BYTES = 4096 };

static berth_status open_file(const char *folder, const char *name, berth_output_file **out,
                              berth_error *error)
{
    char path[PATH_BYTES];
    int len = snprintf(path, sizeof(path), "%s/%s", folder, name);
    if (len >= (int)sizeof(path))
        return error_set(error, BERTH_E_IO, path, "%s", strerror(ENAMETOOLONG));
    return berth_output_file_open(path, out, error);
}

berth_status replay_files_open(replay_files *files, const char *folder, bool pods,
                               berth_error *error)
{
    *files = (replay_files){.folder = folder};
    if (folder == NULL)
        return BERTH_OK;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return error_set(error, BERTH_E_IO, folder, "%s", strerror(errno));
    if (!pods)
        return BERTH_OK;
    TRY(open_file(folder, "pods.csv", &files->pods_file, error));
    files->pods = berth_output_file_stream(files->pods_file);
    return BERTH_OK;
}

static void write_report(const replay *r, replay_plots plots, FILE *file)
{
    (void)plots;
    replay_report_write(r, NULL, file);
}

static void write_series(const replay *r, replay_plots plots, FILE *file)
{
    (void)plots;
    replay_series_write(&r->series, &r->load.resources, file);
}

static void write_waits(const replay *r, replay_plots plots, FILE *file)
{
    (void)plots;
    replay_report_waits(r, file);
}

static void write_plots(const replay *r, replay_plots plots, FILE *file)
{
    replay_plot_script(r, plots, file);
}

berth_status replay_files_write(replay_files *files, const replay *r, replay_plots plots,
                                berth_error *error)
{
    static const struct {
        const char *name;
        void (*write)(const replay *r, replay_plots plots, FILE *file);
    } parts[] = {
        {"report.json", write_report},
        {"series.csv", write_series},
        {"waits.csv", write_waits},
        {"plots.gp", write_plots},
    };
    if (files->folder == NULL)
        return BERTH_OK;
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        if (parts[i].write == write_plots && plots == PLOTS_NONE)
            continue;
        berth_output_file *part = NULL;
        TRY(open_file(files->folder, parts[i].name, &part, error));
        parts[i].write(r, plots, berth_output_file_stream(part));
        TRY(berth_output_file_commit(part, error));
    }
    if (files->pods == NULL)
        return BERTH_OK;
    berth_output_file *pods = files->pods_file;
    files->pods_file = NULL;
    files->pods = NULL;
    return berth_output_file_commit(pods, error);
}

void replay_files_close(replay_files *files)
{
    berth_output_file_discard(files->pods_file);
    files->pods_file = NULL;
    files->pods = NULL;
}
