#include "live/serving/question.h"

#include <stdlib.h>
#include <string.h>

#include "cli/heap.h"

void question_body(question *q, const question_rule *rule, const char *bytes, size_t count)
{
    q->is_too_long |= count > rule->body_max - q->length;
    if (q->is_too_long)
        return;
    q->body = heap_grow(q->body, &q->capacity, q->length + count + 1, 1);
    memcpy(q->body + q->length, bytes, count);
    q->length += count;
    q->body[q->length] = '\0';
}

bool question_is_answered(question *q, const question_rule *rule, struct MHD_Connection *connection,
                          const char *method, const char *path)
{
    if (q->asked)
        return true;
    q->asked = true;
    q->connection = connection;
    q->method = method;
    q->path = path;
    MHD_suspend_connection(connection);
    rule->ask(rule->context, q);
    return false;
}

const char *question_argument(const question *q, const char *name)
{
    return MHD_lookup_connection_value(q->connection, MHD_GET_ARGUMENT_KIND, name);
}

/* The context of `visit`. */
typedef struct visit_of {
    const char *name;
    void (*each)(void *context, const char *value);
    void *context;
} visit_of;

static enum MHD_Result visit(void *context, enum MHD_ValueKind kind, const char *key,
                             const char *value)
{
    const visit_of *of = context;
    (void)kind;
    if (strcmp(key, of->name) == 0 && value != NULL)
        of->each(of->context, value);
    return MHD_YES;
}

void question_arguments(const question *q, const char *name,
                        void (*each)(void *context, const char *value), void *context)
{
    visit_of of = {name, each, context};
    (void)MHD_get_connection_values(q->connection, MHD_GET_ARGUMENT_KIND, visit, &of);
}

const char *question_header(const question *q, const char *name)
{
    return MHD_lookup_connection_value(q->connection, MHD_HEADER_KIND, name);
}

void question_settle(question *q, const debug_page *answer, unsigned retry_s)
{
    q->answer = *answer;
    q->retry_s = retry_s;
    MHD_resume_connection(q->connection); /* QUESTION-1 */
}

debug_page question_take_answer(question *q)
{
    const debug_page taken = q->answer;
    q->answer.text = NULL; /* QUESTION-2 */
    return taken;
}

void question_free(question *q)
{
    free(q->body);
    free(q->answer.text);
    *q = (question){0};
}
