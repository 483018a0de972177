/* The lists of one default profile, extracted from its table. Only profile_default.c includes this
 * file, once for each table; it defines DEFAULT_TABLE(X), OF_TABLE(name) and GROUP_LISTS, the lists
 * of the points that run only for groups. */
static const berth__plugin_info OF_TABLE(infos)[] = {
#define X(id, weight, pe, qs, pf, f, po, ps, s, r, p, pb, b, ob)                                   \
    {NAME(id),                                                                                     \
     pe << BERTH_POINT_PRE_ENQUEUE | qs << BERTH_POINT_QUEUE_SORT | pf << BERTH_POINT_PRE_FILTER | \
         f << BERTH_POINT_FILTER | po << BERTH_POINT_POST_FILTER | ps << BERTH_POINT_PRE_SCORE |   \
         s << BERTH_POINT_SCORE | r << BERTH_POINT_RESERVE | p << BERTH_POINT_PERMIT |             \
         pb << BERTH_POINT_PRE_BIND | b << BERTH_POINT_BIND | ob << BERTH_POINT_POST_BIND,         \
     weight},
    DEFAULT_TABLE(X)
#undef X
};

static const berth_plugin_ref OF_TABLE(pre_enqueue_refs)[] = {
#define X(id, weight, pe, qs, pf, f, po, ps, s, r, p, pb, b, ob) KEEP_##pe(id)
    DEFAULT_TABLE(X)
#undef X
};

static const berth_plugin_ref OF_TABLE(queue_sort_refs)[] = {
#define X(id, weight, pe, qs, pf, f, po, ps, s, r, p, pb, b, ob) KEEP_##qs(id)
    DEFAULT_TABLE(X)
#undef X
};

static const berth_plugin_ref OF_TABLE(pre_filter_refs)[] = {
#define X(id, weight, pe, qs, pf, f, po, ps, s, r, p, pb, b, ob) KEEP_##pf(id)
    DEFAULT_TABLE(X)
#undef X
};

static const berth_plugin_ref OF_TABLE(filter_refs)[] = {
#define X(id, weight, pe, qs, pf, f, po, ps, s, r, p, pb, b, ob) KEEP_##f(id)
    DEFAULT_TABLE(X)
#undef X
};

static const berth_plugin_ref OF_TABLE(post_filter_refs)[] = {
#define X(id, weight, pe, qs, pf, f, po, ps, s, r, p, pb, b, ob) KEEP_##po(id)
    DEFAULT_TABLE(X)
#undef X
};

static const berth_plugin_ref OF_TABLE(pre_score_refs)[] = {
#define X(id, weight, pe, qs, pf, f, po, ps, s, r, p, pb, b, ob) KEEP_##ps(id)
    DEFAULT_TABLE(X)
#undef X
};

static const berth_plugin_ref OF_TABLE(score_refs)[] = {
#define X(id, weight, pe, qs, pf, f, po, ps, s, r, p, pb, b, ob) SCORE_##s(id, weight)
    DEFAULT_TABLE(X)
#undef X
};

static const berth_plugin_ref OF_TABLE(reserve_refs)[] = {
#define X(id, weight, pe, qs, pf, f, po, ps, s, r, p, pb, b, ob) KEEP_##r(id)
    DEFAULT_TABLE(X)
#undef X
};

static const berth_plugin_ref OF_TABLE(pre_bind_refs)[] = {
#define X(id, weight, pe, qs, pf, f, po, ps, s, r, p, pb, b, ob) KEEP_##pb(id)
    DEFAULT_TABLE(X)
#undef X
};

static const berth_plugin_ref OF_TABLE(bind_refs)[] = {
#define X(id, weight, pe, qs, pf, f, po, ps, s, r, p, pb, b, ob) KEEP_##b(id)
    DEFAULT_TABLE(X)
#undef X
};

/* No plugin of the default set has permit or postBind; their lists stay empty. */
static const berth_plugin_list OF_TABLE(default_points)[BERTH_POINT_COUNT] = {
    [BERTH_POINT_PRE_ENQUEUE] = LIST(OF_TABLE(pre_enqueue_refs)),
    [BERTH_POINT_QUEUE_SORT] = LIST(OF_TABLE(queue_sort_refs)),
    [BERTH_POINT_PRE_FILTER] = LIST(OF_TABLE(pre_filter_refs)),
    [BERTH_POINT_FILTER] = LIST(OF_TABLE(filter_refs)),
    [BERTH_POINT_POST_FILTER] = LIST(OF_TABLE(post_filter_refs)),
    [BERTH_POINT_PRE_SCORE] = LIST(OF_TABLE(pre_score_refs)),
    [BERTH_POINT_SCORE] = LIST(OF_TABLE(score_refs)),
    [BERTH_POINT_RESERVE] = LIST(OF_TABLE(reserve_refs)),
    [BERTH_POINT_PRE_BIND] = LIST(OF_TABLE(pre_bind_refs)),
    [BERTH_POINT_BIND] = LIST(OF_TABLE(bind_refs)),
    GROUP_LISTS};

static const berth_profile OF_TABLE(default_profile) = {
    .scheduler_name = TEXT("default-scheduler"),
    .era = BERTH_ERA_V1,
    .points = OF_TABLE(default_points),
    .point_count = BERTH_POINT_COUNT,
};

#undef DEFAULT_TABLE
#undef OF_TABLE
#undef GROUP_LISTS
