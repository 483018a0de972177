/* A blank file contains only blank lines, comments, and marks of YAML documents. */
#include "loading/blank_file.h"

#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

enum { BLOCK_BYTES = 4096, MARK_BYTES = 3 };

/* The scan's position in a line. A mark is `---` or `...` in the first column. */
typedef struct line_scan {
    bool comment;  /* the rest of the line is a comment */
    bool indented; /* blanks came first */
    char mark;     /* its character */
    int mark_len;
} line_scan;

/* Takes the next byte. Returns false if the byte belongs to an object. */
static bool take(line_scan *s, char byte)
{
    const bool in_mark = s->mark_len > 0 && s->mark_len < MARK_BYTES;
    if (byte == '\0')
        return false;
    if (byte == '\n') {
        *s = (line_scan){0};
        return !in_mark;
    }
    if (s->comment)
        return true;
    if ((byte == '-' || byte == '.') && !s->indented && s->mark_len < MARK_BYTES &&
        (s->mark_len == 0 || byte == s->mark)) {
        s->mark = byte;
        s->mark_len++;
        return true;
    }
    s->comment = byte == '#';
    s->indented = true;
    return !in_mark && strchr(" \t\r#", byte) != NULL;
}

static bool has_blank_lines_only(gzFile file)
{
    static const char order_mark[] = "\xEF\xBB\xBF";
    const int order_mark_len = (int)sizeof(order_mark) - 1;
    char block[BLOCK_BYTES];
    line_scan scan = {0};
    int got = gzread(file, block, sizeof(block));
    int at = got >= order_mark_len && memcmp(block, order_mark, sizeof(order_mark) - 1) == 0
                 ? order_mark_len
                 : 0;
    for (; got > 0; got = gzread(file, block, sizeof(block)), at = 0)
        for (; at < got; at++)
            if (!take(&scan, block[at]))
                return false;
    return got == 0 && (scan.mark_len == 0 || scan.mark_len == MARK_BYTES);
}

bool blank_file(const char *path)
{
    struct stat about;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode))
        return false;
    gzFile file = gzopen(path, "rb");
    if (file == NULL)
        return false;
    const bool blank = has_blank_lines_only(file);
    gzclose(file);
    return blank;
}
