/* Writes the page: the template embedded by the build, with the data in place of its mark. */
#include "report/report_page.h"

#include <string.h>

#include "report/report_template.h"

static const char mark[] = "@@DATA@@";

/* Write the data. A '<' could end the script element that contains the JSON, or begin a comment in
 * it. JSON has it only in strings, where it may be escaped. */
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
