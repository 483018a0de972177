/* The answers to questions over HTTP, as JSON (openapi.json):
 *
 *   POST /v1/fits      a manifest: does it fit, and on which nodes?
 *   POST /v1/capacity  a manifest: how many more of each of its pods fit?
 *   GET  /v1/drain     nodes: would their pods fit elsewhere?
 *   GET  /v1/grow      which nodes do the pending pods need, and which could go?
 *   POST /v1/grow      a manifest: the same, if its pods waited, too
 *   GET  /v1/explain   a pod of the cluster: why does it get its node, or none?
 *   GET  /v1/report    the cluster at a glance; GET / is a page of it that asks and follows
 *   GET  /v1/changes   an event when the cluster has changed (asking.h)
 *   GET  /openapi.json this interface
 *
 * Threads: any; each call works on a branch of its own. */
#ifndef BERTH_LIVE_ANSWERS_H
#define BERTH_LIVE_ANSWERS_H

#include "live/answer/answer_room.h"

/* Make the answer. `cancel`: set by another thread when the time is up. Owner: the text is the
 * caller's. */
debug_page answers_make(const answer_world *world, const question *asked, berth_cancel_flag cancel);

/* The page of a refusal: {"error": {"reason": ..., "message": ...}}. */
debug_page answers_refuse(unsigned status, const char *reason, const char *message);

/* A short name of what a path asks for ("fits"), for metrics; "other". */
const char *answers_name(const char *path);

/* One answer each: write its members into an open object. */
berth_status answer_fits(answer_room *room, output *o, berth_error *error);
berth_status answer_capacity(answer_room *room, output *o, berth_error *error);
berth_status answer_drain(answer_room *room, output *o, berth_error *error);
berth_status answer_explain(answer_room *room, output *o, berth_error *error);

/* Whole documents. */
berth_status answer_grow(answer_room *room, FILE *out, berth_error *error);
berth_status answer_report(answer_room *room, FILE *out, berth_error *error);
berth_status answer_page(answer_room *room, FILE *out, berth_error *error);

/* The text of openapi.json. */
extern const char openapi_document[];

#endif
