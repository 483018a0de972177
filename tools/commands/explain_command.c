/* Quotes arguments for a shell and breaks long commands into lines. */
#include "commands/explain_command.h"

#include <string.h>

#include "cli/plain_text.h"
#include "cli/terminal.h"
#include "cli/text_buffer.h"

enum { INDENT = 6, BREAK = 2 }; /* blanks before a further line, columns of " \\" */

typedef struct command_line {
    FILE *file; /* NULL: write everything to `text` as one line */
    text_buffer *text;
    uint32_t column;
} command_line;

/* Whether a shell takes the argument as one word without quotes. */
static bool is_plain(const char *argument)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+=:,./@%";
    return argument[0] != '\0' && argument[strspn(argument, plain)] == '\0';
}

static void add_quoted(text_buffer *text, const char *argument)
{
    if (is_plain(argument)) {
        text_add(text, "%s", argument);
        return;
    }
    text_add(text, "'");
    for (; *argument != '\0'; argument++)
        if (*argument == '\'')
            text_add(text, "'\\''");
        else
            text_add(text, "%c", *argument);
    text_add(text, "'");
}

/* Write an option with its value, or an operand; stays on one line. */
static void put(command_line *line, const char *name, const char *value)
{
    text_buffer text = {0};
    if (line->file == NULL) {
        text_add(line->text, " %s%s", name != NULL ? name : "",
                 name != NULL && value != NULL ? " " : "");
        if (value != NULL)
            add_quoted(line->text, value);
        return;
    }
    if (name != NULL)
        text_add(&text, "%s", name);
    if (name != NULL && value != NULL)
        text_add(&text, " ");
    if (value != NULL)
        add_quoted(&text, value);
    const uint32_t width = terminal_width();
    if (line->column > INDENT && line->column + 1 + text.len + BREAK > width) {
        fprintf(line->file, " \\\n%*s", INDENT, "");
        line->column = INDENT;
    } else {
        fputc(' ', line->file);
        line->column++;
    }
    plain_text_write(line->file, text.text, text.len);
    line->column += (uint32_t)text.len;
    text_free(&text);
}

static void put_given(command_line *line, const char *name, const char *value)
{
    if (value != NULL)
        put(line, name, value);
}

static void put_all(command_line *line, const cluster_input *input, const engine_setup *setup,
                    const berth_engine *engine, berth_pod_id pod)
{
    berth_str namespace_name = {0}, name = {0};
    text_buffer operand = {0};
    berth_engine_pod_name(engine, pod, &namespace_name, &name);
    text_add(&operand, "%.*s/%.*s", (int)namespace_name.len, namespace_name.data, (int)name.len,
             name.data);
    put(line, "--in-turn", NULL);
    if (input->add)
        put(line, "--add", NULL);
    if (input->expand)
        put(line, "--expand", NULL);
    put_given(line, "--config", setup->config_path);
    if (setup->kubernetes != input->version.chosen)
        put_given(line, "--kubernetes", setup->kubernetes);
    put_given(line, "--feature-gates", setup->feature_gates);
    put_given(line, "-n", input->namespace_name);
    put_given(line, "--synthetic", input->synthetic);
    if (input->live.wanted && input->live.kubeconfig == NULL && input->live.context == NULL)
        put(line, "--live", NULL);
    put_given(line, "--kubeconfig", input->live.kubeconfig);
    put_given(line, "--context", input->live.context);
    if (input->recursive)
        put(line, "-R", NULL);
    for (size_t i = 0; i < input->expanded.given.count; i++)
        put(line, "-f", input->expanded.given.items[i]);
    put(line, NULL, operand.text);
    text_free(&operand);
}

static const char begin[] = "berth explain";

void explain_command_print(const cluster_input *input, const engine_setup *setup,
                           const berth_engine *engine, berth_pod_id pod, uint32_t at, FILE *file)
{
    command_line line = {file, NULL, at + (uint32_t)sizeof(begin) - 1};
    fputs(begin, file);
    put_all(&line, input, setup, engine, pod);
}

void explain_command_text(const cluster_input *input, const engine_setup *setup,
                          const berth_engine *engine, berth_pod_id pod, text_buffer *out)
{
    command_line line = {.text = out};
    text_add(out, "%s", begin);
    put_all(&line, input, setup, engine, pod);
}
