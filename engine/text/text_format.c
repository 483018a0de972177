/* Distinguishes JSON and YAML by the first bytes of a text. */
#include "text/text_format.h"

static uint32_t skip_blanks(berth_str text, uint32_t at)
{
    while (at < text.len && (text.data[at] == ' ' || text.data[at] == '\t' ||
                             text.data[at] == '\n' || text.data[at] == '\r'))
        at++;
    return at;
}

bool berth__text_is_json(berth_str text)
{
    uint32_t at = skip_blanks(text, 0);
    bool in_array = false;
    while (at < text.len && text.data[at] == '[') {
        in_array = true;
        at = skip_blanks(text, at + 1);
    }
    if (at == text.len || text.data[at] != '{')
        return in_array;
    at = skip_blanks(text, at + 1);
    return at == text.len || text.data[at] == '"' || text.data[at] == '}';
}
