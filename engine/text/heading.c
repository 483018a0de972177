/* Reads apiVersion and kind of objects and of lists. */
#include "text/heading.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

static void copy_text(char *out, size_t size, berth_str text)
{
    snprintf(out, size, "%.*s", (int)text.len, text.data != NULL ? text.data : "");
}

berth_str berth__json_text(const berth__json *value)
{
    return value != NULL && value->type == BERTH__JSON_STRING ? value->as.text : (berth_str){0};
}

bool berth__heading_read(const berth__json *list, berth__heading *out)
{
    berth_str kind = berth__json_text(berth__json_get(list, "kind"));
    copy_text(out->api_version, sizeof(out->api_version),
              berth__json_text(berth__json_get(list, "apiVersion")));
    out->kind[0] = '\0';
    if (berth__str_empty(kind))
        return true;
    if (kind.len < 4 || memcmp(kind.data + kind.len - 4, "List", 4) != 0)
        return false;
    copy_text(out->kind, sizeof(out->kind), (berth_str){kind.data, kind.len - 4});
    return true;
}

berth_str berth__heading_kind(const berth__heading *list, const char *default_kind,
                              const berth__json *object, berth_str *api_version)
{
    berth_str kind = berth__json_text(berth__json_get(object, "kind"));
    *api_version = berth__json_text(berth__json_get(object, "apiVersion"));
    if (!berth__str_empty(kind))
        return kind;
    if (list->kind[0] == '\0')
        return default_kind != NULL ? berth__text_of(default_kind) : kind;
    if (list->api_version[0] != '\0')
        *api_version = berth__text_of(list->api_version);
    return berth__text_of(list->kind);
}
