/* Looks objects up by name. */
#include "cli/object_names.h"

#include "cli/text_buffer.h"

uint32_t object_names_add(word_table *names, berth_str kind, berth_str namespace_name,
                          berth_str name)
{
    text_buffer whole = {0};
    const uint32_t number = word_table_add(names, text_name(&whole, kind, namespace_name, name));
    text_free(&whole);
    return number;
}

bool object_names_find(const word_table *names, berth_str kind, berth_str namespace_name,
                       berth_str name, uint32_t *number)
{
    text_buffer whole = {0};
    const bool found =
        word_table_find(names, text_name(&whole, kind, namespace_name, name), number);
    text_free(&whole);
    return found;
}
