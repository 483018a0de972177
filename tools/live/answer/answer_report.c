/* The cluster at a glance, as `berth report` shows it: pending pods are decided on the branch.
 * /v1/report is the data, / the page. */
#include <stdlib.h>

#include "cli/exits.h"
#include "live/answer/answers.h"
#include "plans/cluster_side.h"
#include "report/report_cluster.h"
#include "report/report_page.h"

berth_status answer_report(answer_room *room, FILE *out, berth_error *error)
{
    cluster_side side = {.anew = false};
    berth_status status = cluster_side_adopt(&side, room->branch, room->world->setup, error);
    if (status == BERTH_OK)
        status = report_cluster_write(&side, room->world->title, out, error);
    cluster_side_release(&side);
    return status;
}

berth_status answer_page(answer_room *room, FILE *out, berth_error *error)
{
    char *data = NULL;
    size_t bytes = 0;
    FILE *memory = open_memstream(&data, &bytes);
    if (memory == NULL)
        return error_set(error, BERTH_E_NOMEM, NULL, "there is no memory for the page");
    berth_status status = answer_report(room, memory, error);
    fclose(memory);
    if (status == BERTH_OK)
        report_page_write(data, bytes, true, out);
    free(data);
    return status;
}
