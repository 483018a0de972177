/* The options of kube-scheduler 1.32 to 1.37 without an effect here, each with the reason. */
#include "commands/run_unused.h"

#include "live/log/log.h"

/* kube-scheduler's option, the name of its value, and why it changes nothing here. */
#define TEXT_OPTIONS(X)                                                            \
    X("cert-dir", "DIR", "folder of certificates: --tls-cert-file names one")      \
    X("tls-cipher-suites", "LIST", "the defaults of the TLS library are used")     \
    X("tls-curve-preferences", "LIST", "the defaults of the TLS library are used") \
    X("tls-min-version", "VERSION", "TLS 1.2 or newer is served")                  \
    X("tls-sni-cert-key", "PAIR", "there is one certificate")                      \
    X("http2-max-streams-per-connection", "N", "HTTP/1.1 is served")               \
    X("requestheader-allowed-names", "LIST", "there is no front proxy")            \
    X("requestheader-client-ca-file", "FILE", "there is no front proxy")           \
    X("requestheader-extra-headers-prefix", "LIST", "there is no front proxy")     \
    X("requestheader-group-headers", "LIST", "there is no front proxy")            \
    X("requestheader-uid-headers", "LIST", "there is no front proxy")              \
    X("requestheader-username-headers", "LIST", "there is no front proxy")         \
    X("kube-api-content-type", "TYPE", "requests are in JSON")                     \
    X("min-compatibility-version", "VERSION", "there is no emulation")             \
    X("allow-metric-labels", "LIST", "all labels are shown")                       \
    X("allow-metric-labels-manifest", "FILE", "all labels are shown")              \
    X("disabled-metrics", "LIST", "all metrics are shown")                         \
    X("show-hidden-metrics-for-version", "VERSION", "no metric is hidden")         \
    X("log-flush-frequency", "TIME", "each line is written at once")               \
    X("log-text-info-buffer-size", "SIZE", "each line is written at once")         \
    X("log-json-info-buffer-size", "SIZE", "each line is written at once")         \
    X("vmodule", "LIST", "--v sets the level of all files")

/* Options that are true or false. */
#define FLAG_OPTIONS(X)                                                      \
    X("disable-http2-serving", "HTTP/1.1 is served")                         \
    X("permit-address-sharing", "the address is not shared")                 \
    X("permit-port-sharing", "the port is not shared")                       \
    X("authentication-skip-lookup", "--client-ca-file alone says who signs") \
    X("authentication-tolerate-lookup-failure", "nothing is looked up")      \
    X("contention-profiling", "there is no profile of locks")                \
    X("log-text-split-stream", "the log is one stream")                      \
    X("log-json-split-stream", "the log is one stream")

enum { TEXT_COUNT = 22, FLAG_COUNT = 8, OPTION_COUNT = TEXT_COUNT + FLAG_COUNT };

static const char *texts[TEXT_COUNT];
static bool flags[FLAG_COUNT], denied[FLAG_COUNT];

static option options[OPTION_COUNT];

option_group run_unused_options(void)
{
    static const char *const text_names[][3] = {
#define X(name, value, why) {name, value, "(not used: " why ")"},
        TEXT_OPTIONS(X)
#undef X
    };
    static const char *const flag_names[][2] = {
#define X(name, why) {name, "(not used: " why ")"},
        FLAG_OPTIONS(X)
#undef X
    };
    _Static_assert(sizeof(text_names) / sizeof(text_names[0]) == TEXT_COUNT, "count the options");
    _Static_assert(sizeof(flag_names) / sizeof(flag_names[0]) == FLAG_COUNT, "count the flags");
    for (int i = 0; i < TEXT_COUNT; i++)
        options[i] = (option){.name = text_names[i][0],
                              .kind = OPTION_TEXT,
                              .value = text_names[i][1],
                              .target = &texts[i],
                              .help = text_names[i][2]};
    for (int i = 0; i < FLAG_COUNT; i++)
        options[TEXT_COUNT + i] = (option){.name = flag_names[i][0],
                                           .kind = OPTION_FLAG,
                                           .denied = &denied[i],
                                           .target = &flags[i],
                                           .help = flag_names[i][1]};
    return (option_group)OPTION_GROUP(options);
}

static void warn(const option *given)
{
    LOG_WARNING("this option changes nothing here", "option", given->name, "why", given->help);
}

void run_unused_warn(void)
{
    for (int i = 0; i < TEXT_COUNT; i++)
        if (texts[i] != NULL)
            warn(&options[i]);
    for (int i = 0; i < FLAG_COUNT; i++)
        if (flags[i] || denied[i])
            warn(&options[TEXT_COUNT + i]);
}
