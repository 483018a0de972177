/* Names of images as the scheduler looks them up. */
#include <string.h>

#include "model/pod_class.h"

berth__sym berth__image_name(berth__model *model, berth_str image, bool *ok)
{
    uint32_t colon = 0, slash = 0; /* positions counted from 1, 0: none */
    for (uint32_t i = 0; i < image.len; i++) {
        if (image.data[i] == ':')
            colon = i + 1;
        else if (image.data[i] == '/')
            slash = i + 1;
    }
    if (colon > slash)
        return berth__intern_add(&model->strings, image, ok);
    char *tagged = berth__arena_alloc(&model->scratch, (size_t)image.len + 7, 1);
    if (tagged == NULL) {
        *ok = false;
        return 0;
    }
    if (image.len > 0)
        memcpy(tagged, image.data, image.len);
    memcpy(tagged + image.len, ":latest", 7);
    return berth__intern_add(&model->strings, (berth_str){tagged, image.len + 7}, ok);
}
