/* Readers and writers of the fields whose JSON their type alone does not describe
 * (objects/field.h, berth__field_form). */
#ifndef BERTH_KUBE_FORMS_H
#define BERTH_KUBE_FORMS_H

#include "kube/decode.h"
#include "kube/encode.h"

/* Reads the value of a field into the struct `out`. Where the field has no key, `value` is the
 * whole JSON object. */
typedef berth_status berth__form_read_fn(berth__decoder *decoder, const berth__field_path *path,
                                         const berth__json *value, const berth__field *field,
                                         void *out);
/* Writes the value of a field of the struct `from`, or nothing if it is not set; where the field
 * has no key, writes whole members. */
typedef void berth__form_write_fn(berth__encoder *encoder, const berth__field *field,
                                  const void *from);

typedef struct berth__form {
    berth__form_read_fn *read;   /* NULL: reads nothing */
    berth__form_write_fn *write; /* NULL: writes nothing */
} berth__form;

/* By berth__field_form. */
extern const berth__form berth__forms[BERTH__FORM_COUNT];

/* The member of a struct that a field describes. */
static inline void *berth__forms_member(const berth__field *field, void *of)
{
    return (char *)of + field->offset;
}
static inline const void *berth__forms_const_member(const berth__field *field, const void *of)
{
    return (const char *)of + field->offset;
}

/* Those of pods and small kinds are in forms.c; of volumes in forms_volume.c, of devices in
 * forms_devices.c. */
berth__form_read_fn berth__forms_read_pod_volume, berth__forms_read_volume;
berth__form_write_fn berth__forms_write_volume;
berth__form_read_fn berth__forms_read_json, berth__forms_read_quantities,
    berth__forms_read_flat_request, berth__forms_read_basic_device,
    berth__forms_read_device_attribute;
berth__form_write_fn berth__forms_write_json, berth__forms_write_quantities,
    berth__forms_write_device_attribute;

#endif
