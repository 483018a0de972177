/* Finds and describes the first fault of a text that is not JSON. */
#ifndef BERTH_TEXT_JSON_FAULT_H
#define BERTH_TEXT_JSON_FAULT_H

#include "berth/status.h"

/* Fill `error` for a text that the parser refused: line, column, offset, what was found and what
 * was expected. Returns BERTH_E_PARSE. */
berth_status berth__json_fault(berth_str text, berth_error *error);

/* The line and column (both 1-based) of the byte at `offset`. */
void berth__text_position(const char *text, size_t offset, uint32_t *line, uint32_t *column);

#endif
