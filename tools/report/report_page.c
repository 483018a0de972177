/* The page: the template as the build embedded it, with the data at its mark. */
#include "report/report_page.h"

#include <string.h>

#include "report/report_template.h"

static const char mark[] = "@@DATA@@";

/* JSON in a script element: '<' would end it, or begin a comment. Within JSON it stands in strings
 * alone, where it may be written by its number. */
static void write_data(const char *data, size_t bytes, FILE *file)
{
    const char *end = data + bytes;
    while (data < end) {
        const char *next = memchr(data, '<', (size_t)(end - data));
        size_t plain = (size_t)((next != NULL ? next : end) - data);
        fwrite(data, 1, plain, file);
        data += plain;
        if (next != NULL) {
            fputs("\\u003c", file);
            data++;
        }
    }
}

void report_page_write(const char *data, size_t bytes, FILE *file)
{
    const char *page = (const char *)report_template;
    const char *at = memmem(page, report_template_bytes, mark, sizeof(mark) - 1);
    size_t before = at != NULL ? (size_t)(at - page) : report_template_bytes;
    fwrite(page, 1, before, file);
    if (at == NULL)
        return;
    write_data(data, bytes, file);
    before += sizeof(mark) - 1;
    fwrite(page + before, 1, report_template_bytes - before, file);
}
