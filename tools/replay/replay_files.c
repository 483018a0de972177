/* The files of results of a replay: each is written whole, and its closing checked. */
#include "replay/replay_files.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/exits.h"
#include "replay/replay_report.h"

enum { PATH_BYTES = 4096 };

static berth_status open_file(const char *folder, const char *name, FILE **out, berth_error *error)
{
    char path[PATH_BYTES];
    int len = snprintf(path, sizeof(path), "%s/%s", folder, name);
    errno = len < (int)sizeof(path) ? 0 : ENAMETOOLONG;
    *out = errno == 0 ? fopen(path, "w") : NULL;
    return *out != NULL ? BERTH_OK : error_set(error, BERTH_E_IO, path, "%s", strerror(errno));
}

static berth_status close_file(const char *folder, const char *name, FILE *file, berth_error *error)
{
    bool lost = ferror(file) != 0;
    errno = 0;
    if (fclose(file) == 0 && !lost)
        return BERTH_OK;
    char path[PATH_BYTES];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return error_set(error, BERTH_E_IO, path, "%s",
                     errno != 0 ? strerror(errno) : "some of it could not be written");
}

berth_status replay_files_open(replay_files *files, const char *folder, bool pods,
                               berth_error *error)
{
    *files = (replay_files){.folder = folder};
    if (folder == NULL)
        return BERTH_OK;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return error_set(error, BERTH_E_IO, folder, "%s", strerror(errno));
    return pods ? open_file(folder, "pods.csv", &files->pods, error) : BERTH_OK;
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
    FILE *file = NULL;
    if (files->folder == NULL)
        return BERTH_OK;
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        if (parts[i].write == write_plots && plots == PLOTS_NONE)
            continue;
        TRY(open_file(files->folder, parts[i].name, &file, error));
        parts[i].write(r, plots, file);
        TRY(close_file(files->folder, parts[i].name, file, error));
    }
    if (files->pods == NULL)
        return BERTH_OK;
    file = files->pods;
    files->pods = NULL;
    return close_file(files->folder, "pods.csv", file, error);
}

void replay_files_close(replay_files *files)
{
    if (files->pods != NULL)
        fclose(files->pods);
    files->pods = NULL;
}
