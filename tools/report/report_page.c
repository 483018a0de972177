/* Writes the page: the template embedded by the build, with its marks replaced by contents. */
#include "report/report_page.h"

#include <string.h>

#include "report/report_template.h"

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

/* Write the template up to a mark; returns what follows the mark. */
static const char *write_until(const char *page, const char *mark, FILE *file)
{
    const char *end = (const char *)report_template + report_template_bytes;
    const char *at = memmem(page, (size_t)(end - page), mark, strlen(mark));
    fwrite(page, 1, (size_t)((at != NULL ? at : end) - page), file);
    return at != NULL ? at + strlen(mark) : end;
}

void report_page_write(const char *data, size_t bytes, bool live, FILE *file)
{
    const char *end = (const char *)report_template + report_template_bytes;
    const char *rest = write_until((const char *)report_template, "@@CONNECT@@", file);
    fputs(live ? "; connect-src 'self'" : "", file);
    rest = write_until(rest, "@@LIVE@@", file);
    fputs(live ? "yes" : "no", file);
    rest = write_until(rest, "@@DATA@@", file);
    write_data(data, bytes, file);
    fwrite(rest, 1, (size_t)(end - rest), file);
}
