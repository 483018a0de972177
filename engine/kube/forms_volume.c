/* Volume sources: which kinds there are, and how each is written in a pod's volume and in a
 * PersistentVolume's specification. */
#include "kube/forms.h"

#include "base/text.h"

#define HANDLE(key) BERTH__FIELD(key, STR, berth_volume_source, handle)
#define READ_ONLY BERTH__FIELD("readOnly", BOOL, berth_volume_source, read_only)

static const berth__field claim_fields[] = {HANDLE("claimName"), READ_ONLY,
                                            BERTH__FIELD_AND_OTHERS};
static const berth__field no_fields[] = {BERTH__FIELD_AND_OTHERS};
static const berth__field pd_name_fields[] = {HANDLE("pdName"), READ_ONLY, BERTH__FIELD_AND_OTHERS};
static const berth__field volume_id_fields[] = {HANDLE("volumeID"), READ_ONLY,
                                                BERTH__FIELD_AND_OTHERS};
static const berth__field iqn_fields[] = {HANDLE("iqn"), READ_ONLY, BERTH__FIELD_AND_OTHERS};
static const berth__field disk_fields[] = {
    HANDLE("diskName"),
    READ_ONLY,
    BERTH__FIELD("diskURI", STR, berth_volume_source, uri),
    BERTH__FIELD("kind", STR, berth_volume_source, disk_kind),
    BERTH__FIELD_AND_OTHERS,
};
static const berth__field rbd_fields[] = {
    HANDLE("image"),
    READ_ONLY,
    BERTH__FIELD("pool", STR, berth_volume_source, pool),
    BERTH__FIELD("monitors", STRS, berth_volume_source, monitors),
    BERTH__FIELD_AND_OTHERS,
};
static const berth__field csi_fields[] = {
    HANDLE("volumeHandle"),
    READ_ONLY,
    BERTH__FIELD("driver", STR, berth_volume_source, driver),
    BERTH__FIELD_AND_OTHERS,
};
static const berth__field image_volume_fields[] = {
    HANDLE("reference"),
    BERTH__FIELD_AND_OTHERS,
};

typedef struct source_entry {
    const char *key;
    berth_volume_kind kind;
    const berth__field *fields;
    bool in_pod;
    bool in_volume;
} source_entry;

static const source_entry sources[] = {
    {"persistentVolumeClaim", BERTH_VOLUME_CLAIM, claim_fields, true, false},
    {"ephemeral", BERTH_VOLUME_EPHEMERAL, no_fields, true, false},
    {"gcePersistentDisk", BERTH_VOLUME_GCE_PD, pd_name_fields, true, true},
    {"awsElasticBlockStore", BERTH_VOLUME_AWS_EBS, volume_id_fields, true, true},
    {"iscsi", BERTH_VOLUME_ISCSI, iqn_fields, true, true},
    {"rbd", BERTH_VOLUME_RBD, rbd_fields, true, true},
    {"azureDisk", BERTH_VOLUME_AZURE_DISK, disk_fields, true, true},
    {"cinder", BERTH_VOLUME_CINDER, volume_id_fields, true, true},
    {"portworxVolume", BERTH_VOLUME_PORTWORX, volume_id_fields, true, true},
    {"csi", BERTH_VOLUME_CSI, csi_fields, false, true},
    {"image", BERTH_VOLUME_IMAGE, image_volume_fields, true, false},
    {"emptyDir", BERTH_VOLUME_EMPTY_DIR, no_fields, true, false},
};

static berth_status read_source(berth__decoder *decoder, const berth__field_path *path,
                                const berth__json *value, bool of_pod, berth_volume_source *out)
{
    for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
        const source_entry *entry = &sources[i];
        const berth__json *found =
            (of_pod ? entry->in_pod : entry->in_volume) ? berth__json_get(value, entry->key) : NULL;
        if (found == NULL)
            continue;
        berth__field_path at = {.up = path, .key = berth__text_of(entry->key)};
        out->kind = entry->kind;
        return berth__decode_fields(decoder, &at, found, entry->fields, out);
    }
    return BERTH_OK;
}

berth_status berth__forms_read_pod_volume(berth__decoder *decoder, const berth__field_path *path,
                                          const berth__json *value, const berth__field *field,
                                          void *out)
{
    return read_source(decoder, path, value, true, berth__forms_member(field, out));
}

berth_status berth__forms_read_volume(berth__decoder *decoder, const berth__field_path *path,
                                      const berth__json *value, const berth__field *field,
                                      void *out)
{
    return read_source(decoder, path, value, false, berth__forms_member(field, out));
}

void berth__forms_write_volume(berth__encoder *encoder, const berth__field *field, const void *from)
{
    const berth_volume_source *source = berth__forms_const_member(field, from);
    for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
        if (sources[i].kind != source->kind)
            continue;
        berth__encode_key(encoder, berth__text_of(sources[i].key));
        berth__encode_raw(encoder, BERTH_STR("{"));
        berth__encode_fields(encoder, sources[i].fields, source);
        berth__encode_raw(encoder, BERTH_STR("}"));
    }
}
