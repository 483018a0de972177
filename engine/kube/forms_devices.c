/* Forms of devices, in resource.k8s.io/v1, v1beta2 and v1beta1. Writing always writes v1. */
#include "kube/forms.h"

#include "base/text.h"
#include "berth/kube.h"
#include "objects/fields.h"

/* ---- JSON that is passed through ---- */

enum { DEPTH_MAX = 1024 }; /* like any other input */

static berth_status read_json(berth__decoder *decoder, const berth__json *value, berth_str *out)
{
    berth__encoder encoder;
    berth__encoder_init(&encoder, berth__allocator_default());
    berth__encode_tree(&encoder, value, DEPTH_MAX);
    bool ok = encoder.ok;
    if (ok)
        *out = berth__arena_str(decoder->arena, (berth_str){encoder.bytes, (uint32_t)encoder.count},
                                &ok);
    berth__encoder_destroy(&encoder);
    return ok ? BERTH_OK : berth__decode_no_memory(decoder);
}

berth_status berth__forms_read_json(berth__decoder *decoder, const berth__field_path *path,
                                    const berth__json *value, const berth__field *field, void *out)
{
    (void)path;
    return read_json(decoder, value, berth__forms_member(field, out));
}

void berth__forms_write_json(berth__encoder *encoder, const berth__field *field, const void *from)
{
    const berth_str *text = berth__forms_const_member(field, from);
    berth__encode_raw(encoder, *text);
}

/* ---- v1beta1 ---- */

/* A request that has the fields of `exactly` itself.
 * Source: api v0.36, resource/v1beta1/conversion.go, hasAnyMainRequestFieldsSet. */
berth_status berth__forms_read_flat_request(berth__decoder *decoder, const berth__field_path *path,
                                            const berth__json *value, const berth__field *field,
                                            void *out)
{
    static const char *const keys[] = {"deviceClassName", "selectors",   "allocationMode", "count",
                                       "adminAccess",     "tolerations", "capacity"};
    const berth_exact_request **exactly = &((berth_claim_request *)out)->exactly;
    (void)field;
    bool flat = false;
    for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
        flat |= berth__json_get(value, keys[i]) != NULL;
    if (!flat || *exactly != NULL)
        return BERTH_OK;
    berth_exact_request *made =
        berth__arena_alloc_zero(decoder->arena, sizeof(*made), _Alignof(berth_exact_request));
    if (made == NULL)
        return berth__decode_no_memory(decoder);
    *exactly = made;
    return berth__decode_fields(decoder, path, value, berth__fields_flat_request, made);
}

berth_status berth__forms_read_basic_device(berth__decoder *decoder, const berth__field_path *path,
                                            const berth__json *value, const berth__field *field,
                                            void *out)
{
    (void)field;
    return berth__decode_fields(decoder, path, value, berth__fields_basic_device, out);
}

/* ---- attributes ---- */

typedef struct attribute_key {
    const char *key;
    berth_attribute_kind kind;
} attribute_key;

static const attribute_key attribute_keys[] = {
    {"int", BERTH_ATTRIBUTE_INT},       {"bool", BERTH_ATTRIBUTE_BOOL},
    {"string", BERTH_ATTRIBUTE_STRING}, {"version", BERTH_ATTRIBUTE_VERSION},
    {"ints", BERTH_ATTRIBUTE_LIST},     {"bools", BERTH_ATTRIBUTE_LIST},
    {"strings", BERTH_ATTRIBUTE_LIST},  {"versions", BERTH_ATTRIBUTE_LIST},
};
enum { ATTRIBUTE_KEYS = sizeof(attribute_keys) / sizeof(*attribute_keys) };

static berth_status read_attribute_value(berth__decoder *decoder, const berth__field_path *path,
                                         const berth__json *value, berth_slice_attribute *out)
{
    static const berth__field number = BERTH__FIELD("", INT64, berth_slice_attribute, number);
    static const berth__field text = BERTH__FIELD("", STR, berth_slice_attribute, text);
    if (out->kind == BERTH_ATTRIBUTE_INT)
        return berth__decode_value(decoder, path, value, &number, out);
    if (out->kind != BERTH_ATTRIBUTE_BOOL)
        return berth__decode_value(decoder, path, value, &text, out);
    if (value->type != BERTH__JSON_BOOL)
        return berth__decode_fault(decoder, path, BERTH_E_INVALID, "expected a boolean");
    out->number = value->count != 0;
    return BERTH_OK;
}

/* Decode the first known field that is set. */
berth_status berth__forms_read_device_attribute(berth__decoder *decoder,
                                                const berth__field_path *path,
                                                const berth__json *value, const berth__field *field,
                                                void *out)
{
    berth_slice_attribute *attribute = out;
    (void)field;
    for (int i = 0; i < ATTRIBUTE_KEYS; i++) {
        const berth__json *found = berth__json_get(value, attribute_keys[i].key);
        if (found == NULL)
            continue;
        berth__field_path at = {.up = path, .key = berth__text_of(attribute_keys[i].key)};
        attribute->kind = attribute_keys[i].kind;
        return attribute->kind == BERTH_ATTRIBUTE_LIST
                   ? read_json(decoder, value, &attribute->text)
                   : read_attribute_value(decoder, &at, found, attribute);
    }
    return BERTH_OK;
}

/* For a list, the text is the whole object; write the members inside its brackets. */
void berth__forms_write_device_attribute(berth__encoder *encoder, const berth__field *field,
                                         const void *from)
{
    static const berth__field number = BERTH__FIELD("", INT64, berth_slice_attribute, number);
    const berth_slice_attribute *attribute = from;
    (void)field;
    if (attribute->kind == BERTH_ATTRIBUTE_NONE)
        return;
    if (attribute->kind == BERTH_ATTRIBUTE_LIST) {
        berth_str text = attribute->text;
        if (text.len > 2)
            berth__encode_raw(encoder, (berth_str){text.data + 1, text.len - 2});
        return;
    }
    for (int i = 0; i < ATTRIBUTE_KEYS; i++)
        if (attribute_keys[i].kind == attribute->kind)
            berth__encode_key(encoder, berth__text_of(attribute_keys[i].key));
    if (attribute->kind == BERTH_ATTRIBUTE_INT)
        berth__encode_value(encoder, &number, attribute);
    else if (attribute->kind == BERTH_ATTRIBUTE_BOOL)
        berth__encode_raw(encoder, attribute->number != 0 ? BERTH_STR("true") : BERTH_STR("false"));
    else
        berth__encode_str(encoder, attribute->text);
}

/* ---- amounts ---- */

static const berth__field one_value_field = BERTH__FIELD("", QUANTITY, berth_request_policy, min);

berth_status berth__forms_read_quantities(berth__decoder *decoder, const berth__field_path *path,
                                          const berth__json *value, const berth__field *field,
                                          void *out)
{
    berth_request_policy *policy = out, one = {0};
    (void)field;
    if (value->type != BERTH__JSON_ARRAY)
        return berth__decode_fault(decoder, path, BERTH_E_INVALID, "expected a list");
    berth_quantity *values = berth__arena_alloc_zero(
        decoder->arena, value->count * sizeof(*values) + 1, _Alignof(berth_quantity));
    if (values == NULL)
        return berth__decode_no_memory(decoder);
    for (uint32_t i = 0; i < value->count; i++) {
        berth__field_path at = {.up = path, .index = i};
        BERTH_TRY(berth__decode_value(decoder, &at, &value->as.items[i], &one_value_field, &one));
        values[i] = one.min;
    }
    policy->valid_values = values;
    policy->valid_value_count = value->count;
    return BERTH_OK;
}

void berth__forms_write_quantities(berth__encoder *encoder, const berth__field *field,
                                   const void *from)
{
    const berth_request_policy *policy = from;
    (void)field;
    if (policy->valid_value_count == 0)
        return;
    berth__encode_raw(encoder, BERTH_STR("["));
    for (uint32_t i = 0; i < policy->valid_value_count; i++) {
        const berth_request_policy one = {.min = policy->valid_values[i]};
        berth__encode_item(encoder);
        berth__encode_value(encoder, &one_value_field, &one);
    }
    berth__encode_raw(encoder, BERTH_STR("]"));
}
