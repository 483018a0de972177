/* The command that explains a pod of an input, ready to be pasted into a shell. */
#ifndef BERTH_TOOLS_EXPLAIN_COMMAND_H
#define BERTH_TOOLS_EXPLAIN_COMMAND_H

#include <stdio.h>

#include "cli/text_buffer.h"
#include "loading/cluster_input.h"

/* Write "berth explain --in-turn -f cluster.json shop/web-0", with the same files, version and
 * configuration. `at` columns of the line are already used. A line wider than the terminal is
 * continued as a shell reads it. */
void explain_command_print(const cluster_input *input, const engine_setup *setup,
                           const berth_engine *engine, berth_pod_id pod, uint32_t at, FILE *file);

/* The same command on one line, for documents. */
void explain_command_text(const cluster_input *input, const engine_setup *setup,
                          const berth_engine *engine, berth_pod_id pod, text_buffer *out);

#endif
