/* Keeps the texts of objects and one more transport; the engine asks the extenders itself. */
#include "live/run/extending.h"

berth_status extending_start(extending *e, event_loop *loop, const berth_scheduler_config *config,
                             extender_wait wait, bool dry_run, berth_error *error)
{
    *e = (extending){.extenders = NULL};
    berth_status status = extenders_create(config, wait, &e->extenders, error);
    if (status != BERTH_OK || e->extenders == NULL)
        return status;
    object_texts_policy policy = extenders_policy(e->extenders);
    policy.last_pending = dry_run;
    e->texts = object_texts_create(policy);
    extender_binder *binder = extenders_binder(e->extenders);
    if (binder == NULL || dry_run)
        return BERTH_OK;
    const curl_transport_options options = {
        .loop = loop, .access = &extender_access_ops, .access_self = &binder->access};
    e->binder = curl_transport_create(&options);
    return BERTH_OK;
}

void extending_free(extending *e)
{
    curl_transport_destroy(e->binder);
    extenders_destroy(e->extenders);
    object_texts_destroy(e->texts);
    *e = (extending){.extenders = NULL};
}

bind_extender extending_binder(const extending *e)
{
    if (e->binder == NULL)
        return (bind_extender){.transport = NULL};
    const extender_binder *binder = extenders_binder(e->extenders);
    return (bind_extender){.transport = curl_transport_interface(e->binder),
                           .path = binder->path,
                           .timeout_ns = binder->timeout_ns,
                           .ignorable = binder->ignorable};
}

void extending_seen(const extending *e, berth_kind kind, const object_view *view, berth_str text)
{
    if (e->texts != NULL)
        object_texts_put(e->texts, kind, view, text);
}

void extending_gone(const extending *e, berth_kind kind, const object_entry *entry)
{
    if (e->texts != NULL)
        object_texts_drop(e->texts, kind, object_entry_namespace(entry), object_entry_name(entry));
}
