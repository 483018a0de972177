/* The register of forms, and those of pods, budgets, controllers and pod groups. */
#include "kube/forms.h"

#include "base/text.h"

/* ---- booleans ---- */

static berth_status read_restart_policy(berth__decoder *decoder, const berth__field_path *path,
                                        const berth__json *value, const berth__field *field,
                                        void *out)
{
    static const berth__field as_text = {.type = BERTH__FIELD_STR};
    berth_str policy;
    BERTH_TRY(berth__decode_value(decoder, path, value, &as_text, &policy));
    *(bool *)berth__forms_member(field, out) = berth__str_is(policy, "Always");
    return BERTH_OK;
}

static void write_restart_policy(berth__encoder *encoder, const berth__field *field,
                                 const void *from)
{
    if (*(const bool *)berth__forms_const_member(field, from))
        berth__encode_str(encoder, BERTH_STR("Always"));
}

/* Nothing but the action of each rule matters. */
static berth_status read_restart_rules(berth__decoder *decoder, const berth__field_path *path,
                                       const berth__json *value, const berth__field *field,
                                       void *out)
{
    static const berth__field rule_fields[] = {
        {.key = "action", .key_len = 6, .type = BERTH__FIELD_STR},
        BERTH__FIELD_AND_OTHERS,
    };
    berth__decoded_list rules;
    bool *restarts_all = berth__forms_member(field, out);
    BERTH_TRY(berth__decode_list(decoder, path, value, rule_fields, sizeof(berth_str), &rules));
    for (uint32_t i = 0; i < rules.count; i++)
        *restarts_all |= berth__str_is(((const berth_str *)rules.items)[i], "RestartAllContainers");
    return BERTH_OK;
}

static void write_restart_rules(berth__encoder *encoder, const berth__field *field,
                                const void *from)
{
    if (*(const bool *)berth__forms_const_member(field, from))
        berth__encode_raw(encoder, BERTH_STR("[{\"action\": \"RestartAllContainers\"}]"));
}

/* The member says that the field is false; an absent field is true. */
static berth_status read_host_users(berth__decoder *decoder, const berth__field_path *path,
                                    const berth__json *value, const berth__field *field, void *out)
{
    static const berth__field as_bool = {.type = BERTH__FIELD_BOOL};
    bool host_users = true;
    BERTH_TRY(berth__decode_value(decoder, path, value, &as_bool, &host_users));
    *(bool *)berth__forms_member(field, out) = !host_users;
    return BERTH_OK;
}

static void write_host_users(berth__encoder *encoder, const berth__field *field, const void *from)
{
    if (*(const bool *)berth__forms_const_member(field, from))
        berth__encode_raw(encoder, BERTH_STR("false"));
}

static berth_status read_empty_object(berth__decoder *decoder, const berth__field_path *path,
                                      const berth__json *value, const berth__field *field,
                                      void *out)
{
    (void)decoder;
    (void)path;
    *(bool *)berth__forms_member(field, out) = value->type != BERTH__JSON_NULL;
    return BERTH_OK;
}

static void write_empty_object(berth__encoder *encoder, const berth__field *field, const void *from)
{
    if (*(const bool *)berth__forms_const_member(field, from))
        berth__encode_raw(encoder, BERTH_STR("{}"));
}

/* ---- texts ---- */

/* A list of objects of which only one text matters. */
static berth_status read_texts(berth__decoder *decoder, const berth__field_path *path,
                               const berth__json *value, const berth__field *text, berth_strs *out)
{
    berth__decoded_list texts;
    BERTH_TRY(berth__decode_list(decoder, path, value, text, sizeof(berth_str), &texts));
    *out = (berth_strs){texts.items, texts.count};
    return BERTH_OK;
}

static void write_texts(berth__encoder *encoder, const berth_strs *texts, const char *key)
{
    if (texts->count == 0)
        return;
    berth__encode_raw(encoder, BERTH_STR("["));
    for (uint32_t i = 0; i < texts->count; i++) {
        berth__encode_item(encoder);
        berth__encode_raw(encoder, BERTH_STR("{"));
        berth__encode_key(encoder, berth__text_of(key));
        berth__encode_str(encoder, texts->items[i]);
        berth__encode_raw(encoder, BERTH_STR("}"));
    }
    berth__encode_raw(encoder, BERTH_STR("]"));
}

static berth_status read_names(berth__decoder *decoder, const berth__field_path *path,
                               const berth__json *value, const berth__field *field, void *out)
{
    static const berth__field text[] = {
        {.key = "name", .key_len = 4, .type = BERTH__FIELD_STR},
        BERTH__FIELD_AND_OTHERS,
    };
    return read_texts(decoder, path, value, text, berth__forms_member(field, out));
}

static void write_names(berth__encoder *encoder, const berth__field *field, const void *from)
{
    write_texts(encoder, berth__forms_const_member(field, from), "name");
}

static berth_status read_topology_keys(berth__decoder *decoder, const berth__field_path *path,
                                       const berth__json *value, const berth__field *field,
                                       void *out)
{
    static const berth__field text[] = {
        {.key = "key", .key_len = 3, .type = BERTH__FIELD_STR},
        BERTH__FIELD_AND_OTHERS,
    };
    return read_texts(decoder, path, value, text, berth__forms_member(field, out));
}

static void write_topology_keys(berth__encoder *encoder, const berth__field *field,
                                const void *from)
{
    write_texts(encoder, berth__forms_const_member(field, from), "key");
}

static berth_status read_operator_in(berth__decoder *decoder, const berth__field_path *path,
                                     const berth__json *value, const berth__field *field, void *out)
{
    (void)decoder;
    (void)path;
    (void)value;
    *(berth_str *)berth__forms_member(field, out) = BERTH_STR("In");
    return BERTH_OK;
}

/* ---- selectors ---- */

static const berth__field labels_field = BERTH__FIELD("", MAP, berth_label_selector, match_labels);

static berth_status read_map_selector(berth__decoder *decoder, const berth__field_path *path,
                                      const berth__json *value, const berth__field *field,
                                      void *out)
{
    berth_label_selector *selector =
        berth__arena_alloc_zero(decoder->arena, sizeof(*selector), _Alignof(berth_label_selector));
    if (selector == NULL)
        return berth__decode_no_memory(decoder);
    *(const berth_label_selector **)berth__forms_member(field, out) = selector;
    return berth__decode_value(decoder, path, value, &labels_field, selector);
}

static void write_map_selector(berth__encoder *encoder, const berth__field *field, const void *from)
{
    const berth_label_selector *selector =
        *(const berth_label_selector *const *)berth__forms_const_member(field, from);
    if (selector != NULL)
        berth__encode_value(encoder, &labels_field, selector);
}

/* ---- members of whole kinds ---- */

static const berth__field allowed_field =
    BERTH__FIELD("", INT32, berth_pod_disruption_budget, disruptions_allowed);

static berth_status read_allowed(berth__decoder *decoder, const berth__field_path *path,
                                 const berth__json *value, const berth__field *field, void *out)
{
    (void)field;
    return berth__decode_value(decoder, path, value, &allowed_field, out);
}

static void write_allowed(berth__encoder *encoder, const berth__field *field, const void *from)
{
    const berth_pod_disruption_budget *budget = from;
    (void)field;
    if (!budget->status_absent)
        berth__encode_value(encoder, &allowed_field, budget);
}

static berth_status read_status_absent(berth__decoder *decoder, const berth__field_path *path,
                                       const berth__json *value, const berth__field *field,
                                       void *out)
{
    const berth__json *status = berth__json_get(value, "status");
    (void)decoder;
    (void)path;
    *(bool *)berth__forms_member(field, out) =
        berth__json_get(status, "disruptionsAllowed") == NULL;
    return BERTH_OK;
}

/* A controller is written so that it makes no pods, because the pods are written themselves. */
static void write_no_replicas(berth__encoder *encoder, const berth__field *field, const void *from)
{
    (void)field;
    (void)from;
    berth__encode_raw(encoder, BERTH_STR("0"));
}

static void write_basic_policy(berth__encoder *encoder, const berth__field *field, const void *from)
{
    const berth_pod_group *group = from;
    (void)field;
    if (!group->gang)
        berth__encode_raw(encoder, BERTH_STR("{}"));
}

static void write_basic_composite_policy(berth__encoder *encoder, const berth__field *field,
                                         const void *from)
{
    const berth_composite_pod_group *group = from;
    (void)field;
    if (!group->gang)
        berth__encode_raw(encoder, BERTH_STR("{}"));
}

/* ---- the register ---- */

const berth__form berth__forms[BERTH__FORM_COUNT] = {
    [BERTH__FORM_RESTART_POLICY] = {read_restart_policy, write_restart_policy},
    [BERTH__FORM_RESTART_RULES] = {read_restart_rules, write_restart_rules},
    [BERTH__FORM_HOST_USERS] = {read_host_users, write_host_users},
    [BERTH__FORM_EMPTY_OBJECT] = {read_empty_object, write_empty_object},
    [BERTH__FORM_NAMES] = {read_names, write_names},
    [BERTH__FORM_TOPOLOGY_KEYS] = {read_topology_keys, write_topology_keys},
    [BERTH__FORM_OPERATOR_IN] = {read_operator_in, NULL},
    [BERTH__FORM_MAP_SELECTOR] = {read_map_selector, write_map_selector},
    [BERTH__FORM_ALLOWED] = {read_allowed, write_allowed},
    [BERTH__FORM_STATUS_ABSENT] = {read_status_absent, NULL},
    [BERTH__FORM_NO_REPLICAS] = {NULL, write_no_replicas},
    [BERTH__FORM_BASIC_POLICY] = {NULL, write_basic_policy},
    [BERTH__FORM_BASIC_COMPOSITE_POLICY] = {NULL, write_basic_composite_policy},
    [BERTH__FORM_POD_VOLUME] = {berth__forms_read_pod_volume, berth__forms_write_volume},
    [BERTH__FORM_VOLUME] = {berth__forms_read_volume, berth__forms_write_volume},
    [BERTH__FORM_JSON] = {berth__forms_read_json, berth__forms_write_json},
    [BERTH__FORM_QUANTITIES] = {berth__forms_read_quantities, berth__forms_write_quantities},
    [BERTH__FORM_FLAT_REQUEST] = {berth__forms_read_flat_request, NULL},
    [BERTH__FORM_BASIC_DEVICE] = {berth__forms_read_basic_device, NULL},
    [BERTH__FORM_DEVICE_ATTRIBUTE] = {berth__forms_read_device_attribute,
                                      berth__forms_write_device_attribute},
};
