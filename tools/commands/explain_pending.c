/* berth explain --pending: explains all pending pods, grouped by reason. */
#include <inttypes.h>

#include "cli/exits.h"
#include "commands/explain_command.h"
#include "commands/explain_request.h"

static void print_hint(void *context, berth_pod_id pod, uint32_t at, FILE *file)
{
    const explain_request *x = context;
    fprintf(file, "%*s", (int)at, "");
    explain_command_print(&x->input, &x->setup, x->engine, pod, at, file);
    fputc('\n', file);
}

static void write_command(void *context, berth_pod_id pod, output *o)
{
    const explain_request *x = context;
    text_buffer text = {0};
    explain_command_text(&x->input, &x->setup, x->engine, pod, &text);
    output_pair_text(o, "command", text.text);
    text_free(&text);
}

static void show(explain_request *x, const pending_groups *groups)
{
    if (explain_is_text(x)) {
        printf("Pending      %" PRIu64 "\n", groups->pending);
        pending_groups_print(groups, x->all ? SIZE_MAX : (size_t)x->nodes, print_hint, x, stdout);
        return;
    }
    output o;
    output_open(&o, stdout, (output_format)x->format, 2); /* one group per line */
    output_object(&o);
    output_schema(&o, "explain_pending");
    pending_groups_write(groups, write_command, x, &o);
    output_key(&o, "found");
    pending_groups_write_found(groups, &o);
    output_object_end(&o);
    output_close(&o);
}

berth_status explain_pending(explain_request *x, bool *negative, berth_error *error)
{
    pending_groups groups = {.engine = x->engine, .input = &x->input};
    berth_status status = pending_groups_place(&groups, NULL, 0, error);
    if (status == BERTH_OK)
        show(x, &groups);
    *negative = groups.unplaced + groups.refused > 0;
    pending_groups_free(&groups);
    return status;
}
