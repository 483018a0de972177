/* A tree of jansson values as YAML in the form of Go's writers: keys sorted, two columns for each
 * level, lists not indented, texts plain where a reader takes them for texts. */
#ifndef BERTH_LIVE_WRITTEN_YAML_H
#define BERTH_LIVE_WRITTEN_YAML_H

#include <jansson.h>
#include <stdio.h>

/* Write an object that is not empty. Errors: those of the stream. */
void written_yaml(FILE *out, json_t *object);

#endif
