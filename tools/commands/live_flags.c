#include "commands/live_flags.h"

#include "live/log/log.h"

live_flags live_flags_given;

static const option of_access[] = {
    {.name = "kubeconfig",
     .kind = OPTION_TEXT,
     .value = "FILE",
     .target = &live_flags_given.kubeconfig,
     .help = "API server and credentials (default: the files of\n$KUBECONFIG, for serve "
             "~/.kube/config, or the pod's service\naccount)"},
    {.name = "context",
     .kind = OPTION_TEXT,
     .value = "NAME",
     .target = &live_flags_given.context,
     .help = "the kubeconfig's context (default: the current one)"},
    {.name = "master",
     .kind = OPTION_TEXT,
     .value = "URL",
     .target = &live_flags_given.master,
     .help = "the API server, in place of the kubeconfig's"},
};

option_group live_flags_of_access(void)
{
    return (option_group)OPTION_GROUP(of_access);
}

static const char *const formats[] = {"text", "json", NULL};

static const option of_serving[] = {
    {.name = "tls-cert-file",
     .kind = OPTION_TEXT,
     .value = "FILE",
     .target = &live_flags_given.certificate_file,
     .help = "certificate for HTTPS (default: one is made at the start)"},
    {.name = "tls-private-key-file",
     .kind = OPTION_TEXT,
     .value = "FILE",
     .target = &live_flags_given.key_file,
     .help = "key of the certificate"},
    {.name = "v",
     .letter = 'v',
     .kind = OPTION_NUMBER,
     .value = "LEVEL",
     .max = 10,
     .target = &live_flags_given.verbosity,
     .help = "log level: 2 logs each binding, 3 each attempt"},
    {.name = "logging-format",
     .kind = OPTION_CHOICE,
     .value = "FORM",
     .choices = formats,
     .target = &live_flags_given.format,
     .help = "form of the log, on standard error"},
};

option_group live_flags_of_serving(void)
{
    return (option_group)OPTION_GROUP(of_serving);
}

void live_flags_set_log(void)
{
    log_setup(live_flags_given.format == 1, (int)live_flags_given.verbosity);
}
