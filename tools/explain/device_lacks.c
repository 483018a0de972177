/* Describes requests in their order; the alternatives of one request are joined by "or". */
#include "explain/device_lacks.h"

#include <inttypes.h>
#include <stdlib.h>

#include "cli/heap.h"
#include "cli/words.h"

void device_lacks_make(device_lacks *d, berth_engine *engine, berth_pod_id pod, berth_node_id node)
{
    uint32_t count = 0;
    *d = (device_lacks){0};
    if (berth_engine_device_fits(engine, pod, node, NULL, 0, &count, NULL) != BERTH_OK ||
        count == 0)
        return;
    d->items = heap_new(count, sizeof(*d->items));
    if (berth_engine_device_fits(engine, pod, node, d->items, count, &count, NULL) == BERTH_OK)
        d->count = count;
}

void device_lacks_free(device_lacks *d)
{
    free(d->items);
    *d = (device_lacks){0};
}

bool device_lacks_short(const berth_device_fit *fit)
{
    if (fit->asked == 0) /* all devices that match the selectors; none of them may be in use */
        return fit->fit == 0 || fit->used + fit->tainted > 0;
    return fit->asked > (int64_t)fit->fit;
}

/* Whether a request is an alternative of the one before it. */
static bool is_other_choice(const device_lacks *d, uint32_t i)
{
    return i > 0 && d->items[i].subrequest.data != NULL &&
           d->items[i - 1].subrequest.data != NULL &&
           words_equal(d->items[i].request, d->items[i - 1].request) &&
           words_equal(d->items[i].claim_name, d->items[i - 1].claim_name);
}

static void tell_asked(const berth_device_fit *fit, text_buffer *out)
{
    if (fit->asked == 0)
        text_add(out, "all ");
    else
        text_add(out, "%" PRId64 " ", fit->asked);
    text_add_str(out, fit->device_class);
}

static void tell_part(uint32_t count, const char *what, text_buffer *out)
{
    if (count > 0)
        text_add(out, ", %" PRIu32 " %s", count, what);
}

static void tell_one(const berth_device_fit *fit, text_buffer *out)
{
    text_add(out, "asks ");
    tell_asked(fit, out);
    if (fit->devices == 0) {
        text_add(out, ", none there");
    } else {
        text_add(out, ", %" PRIu32 " of %" PRIu32 " free", fit->devices - fit->used, fit->devices);
        tell_part(fit->unlike, "not as selected", out);
        tell_part(fit->tainted, "tainted", out);
        tell_part(fit->cramped, "too small", out);
    }
    if (fit->pools_left_out > 0)
        text_add(out, ", %" PRIu32 " %s incomplete or invalid", fit->pools_left_out,
                 fit->pools_left_out == 1 ? "pool is" : "pools are");
}

static double share_missing(const berth_device_fit *fit)
{
    return !device_lacks_short(fit) ? 0.0
           : fit->asked == 0        ? 1.0
                                    : 1.0 - (double)fit->fit / (double)fit->asked;
}

/* Whether any alternative of the request at `i` has its devices; `*end` receives the index after
 * the last alternative. */
static bool has_choice(const device_lacks *d, uint32_t i, uint32_t *end, double *least)
{
    bool served = false;
    uint32_t k = i;
    *least = 1.0;
    do {
        double missing = share_missing(&d->items[k]);
        served |= !device_lacks_short(&d->items[k]);
        *least = missing < *least ? missing : *least;
        k++;
    } while (k < d->count && is_other_choice(d, k));
    *end = k;
    return served;
}

double device_lacks_tell(const device_lacks *d, text_buffer *out)
{
    double distance = 0.0;
    uint32_t told = 0;
    for (uint32_t i = 0, end = 0; i < d->count; i = end) {
        double least = 0.0;
        if (has_choice(d, i, &end, &least))
            continue;
        distance += least;
        for (uint32_t k = i; k < end; k++) {
            text_add(out, "%s", k > i ? ", or " : told > 0 ? "; " : "");
            tell_one(&d->items[k], out);
            told++;
        }
    }
    if (told > 0)
        return distance;
    for (uint32_t i = 0; i < d->count; i++) {
        text_add(out, "%s", is_other_choice(d, i) ? ", or " : i > 0 ? "; " : "");
        tell_one(&d->items[i], out);
    }
    text_add(out, ": they do not go together");
    return 0.5;
}

void device_lacks_ask(const device_lacks *d, text_buffer *out)
{
    for (uint32_t i = 0; i < d->count; i++) {
        text_add(out, "%s", is_other_choice(d, i) ? " or " : i > 0 ? ", " : "");
        tell_asked(&d->items[i], out);
    }
}

static void add_up(device_lacks *sum, const device_lacks *one)
{
    for (uint32_t i = 0; i < sum->count && i < one->count; i++) {
        sum->items[i].devices += one->items[i].devices;
        sum->items[i].used += one->items[i].used;
        sum->items[i].unlike += one->items[i].unlike;
        sum->items[i].tainted += one->items[i].tainted;
        sum->items[i].cramped += one->items[i].cramped;
        sum->items[i].fit += one->items[i].fit;
        sum->items[i].pools_left_out += one->items[i].pools_left_out;
    }
}

void device_lacks_tell_all(berth_engine *engine, berth_pod_id pod, const berth_explanation *why,
                           text_buffer *out)
{
    device_lacks sum = {0};
    for (uint32_t i = 0; i < berth_explanation_refusal_count(why); i++) {
        berth_refusal refusal = berth_explanation_refusal(why, i);
        device_lacks one;
        if (!words_equal(refusal.plugin, words_of("DynamicResources")))
            continue;
        device_lacks_make(&one, engine, pod, refusal.node);
        if (sum.count > 0) {
            add_up(&sum, &one);
            device_lacks_free(&one);
        } else {
            sum = one;
        }
    }
    for (uint32_t i = 0; i < sum.count; i++) {
        text_add(out, "%s", is_other_choice(&sum, i) ? ", or " : i > 0 ? "; " : "");
        tell_one(&sum.items[i], out);
    }
    device_lacks_free(&sum);
}

void device_lacks_write(const device_lacks *d, output *o)
{
    if (d->count == 0)
        return;
    output_key(o, "devices");
    output_array(o);
    for (uint32_t i = 0; i < d->count; i++) {
        const berth_device_fit *fit = &d->items[i];
        output_object(o);
        if (fit->claim_name.data != NULL)
            output_pair_str(o, "claim", fit->claim_name);
        output_pair_str(o, "request", fit->request);
        if (fit->subrequest.data != NULL)
            output_pair_str(o, "alternative", fit->subrequest);
        output_pair_str(o, "class", fit->device_class);
        if (fit->asked > 0)
            output_pair_int(o, "asked", fit->asked);
        output_pair_int(o, "devices", fit->devices);
        output_pair_int(o, "free", (int64_t)fit->devices - fit->used);
        output_pair_int(o, "notAsSelected", fit->unlike);
        output_pair_int(o, "tainted", fit->tainted);
        output_pair_int(o, "tooSmall", fit->cramped);
        output_pair_int(o, "fit", fit->fit);
        output_object_end(o);
    }
    output_array_end(o);
}
