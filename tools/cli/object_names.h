/* Numbers objects by their full names, as text_name writes them (cli/text_buffer.h). */
#ifndef BERTH_TOOLS_OBJECT_NAMES_H
#define BERTH_TOOLS_OBJECT_NAMES_H

#include "cli/words.h"

uint32_t object_names_add(word_table *names, berth_str kind, berth_str namespace_name,
                          berth_str name);
/* Whether the table contains an object; if so, `*number` receives its number. */
bool object_names_find(const word_table *names, berth_str kind, berth_str namespace_name,
                       berth_str name, uint32_t *number);

#endif
