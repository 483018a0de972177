/* Structured results on standard output: one writer for JSON and YAML.
 *
 * The caller writes a document value by value and nothing is kept, so a list of a million nodes
 * needs no more memory than one node. Opening and closing calls must match (asserted). */
#ifndef BERTH_TOOLS_OUTPUT_H
#define BERTH_TOOLS_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "berth/status.h"

typedef enum output_format {
    OUTPUT_TABLE, /* written by the caller; see table.h */
    OUTPUT_JSON,
    OUTPUT_YAML,
    OUTPUT_WIDE,     /* a table with more columns, not cut to the terminal; written by the caller */
    OUTPUT_CSV,      /* only the list's table, for a spreadsheet; see table.h */
    OUTPUT_MARKDOWN, /* the same as Markdown */
    OUTPUT_NAME,     /* one name per line, as kubectl prints: pod/web-0; written by the caller */
} output_format;

/* The words of --output, in the order of output_format: for commands about one thing, for those
 * that print a table, and for those that list things by name. */
extern const char *const output_wide_format_names[];
extern const char *const output_table_format_names[];
extern const char *const output_list_format_names[];

/* Call before anything is written: sets the form of tables to that of `format`. */
void output_settle(output_format format);

/* Whether the results are text with a summary, and whether only the list's table is printed. */
bool output_is_text(output_format format);
bool output_is_flat(output_format format);

enum { OUTPUT_DEPTH_MAX = 24 };

typedef struct output_level {
    bool array;
    bool on_dash; /* YAML: the next child is on the line of its parent's "- " */
    uint32_t count;
    uint32_t indent;
} output_level;

typedef struct output {
    FILE *file;
    bool yaml;
    uint32_t flat_depth; /* JSON: containers from this depth on stay on one line */
    uint32_t blanks;     /* JSON: blanks per level at the start of a line; 2 unless changed */
    uint32_t depth;
    bool keyed; /* a key has been written and waits for its value */
    output_level levels[OUTPUT_DEPTH_MAX];
} output;

/* `flat_depth` 0 writes the whole JSON document on one line. */
void output_open(output *o, FILE *file, output_format format, uint32_t flat_depth);

/* End the document with a line break. */
void output_close(output *o);

void output_object(output *o);
void output_object_end(output *o);
void output_array(output *o);
void output_array_end(output *o);
void output_key(output *o, const char *key);
void output_key_str(output *o, berth_str key);

void output_str(output *o, berth_str value);
void output_text(output *o, const char *value);
void output_int(output *o, int64_t value);
void output_bool(output *o, bool value);
/* Writes `decimals` digits after the point. */
void output_real(output *o, double value, int decimals);
/* A number as text: "12.34". */
void output_number(output *o, const char *text);
/* JSON only: a value that is written already, where a value would stay on one line. */
bool output_is_one_line(const output *o);
void output_json(output *o, berth_str text);

/* Write the first member of a document, "schema": "berth.NAME/v1", which names its kind and
 * version. tools/schemas/NAME.json describes it. Later versions keep every member of earlier
 * ones. */
void output_schema(output *o, const char *name);

/* A key and its value. */
void output_pair_str(output *o, const char *key, berth_str value);
void output_pair_text(output *o, const char *key, const char *value);
void output_pair_int(output *o, const char *key, int64_t value);
void output_pair_real(output *o, const char *key, double value, int decimals);

/* Close standard output; the last call. Returns `code`, or EXIT_INTERNAL after a message on
 * standard error if some output is lost. */
int output_finish(int code);

#endif
