/* Facts news: the ring of a layout's last changes. */
#include "columns/facts_news.h"

/* The epoch that a note has for data of a kind. */
static uint64_t epoch_before(const berth__facts_note *note, berth__facts_kind kind)
{
    switch (kind) {
    case BERTH__ON_RULES:
        return note->rule_epoch;
    case BERTH__ON_LABELS:
        return note->label_epoch;
    case BERTH__ON_ALL:
        break;
    }
    return note->epoch;
}

static const berth__facts_note *note_at(const berth__layout *layout, uint64_t number)
{
    return &layout->notes[number % BERTH__FACTS_NOTES];
}

void berth__facts_news_add(berth__layout *layout, uint32_t slot, uint32_t changes, uint64_t images,
                           uint64_t epoch)
{
    layout->notes[layout->note_end++ % BERTH__FACTS_NOTES] =
        (berth__facts_note){.epoch = layout->epoch,
                            .rule_epoch = layout->rule_epoch,
                            .label_epoch = layout->label_epoch,
                            .images = images,
                            .slot = slot,
                            .changes = changes};
    if (layout->note_end - layout->note_begin > BERTH__FACTS_NOTES)
        layout->note_begin++;
    layout->epoch = epoch;
    if ((changes & BERTH__FACTS_VERDICTS) != 0)
        layout->rule_epoch = epoch;
    if ((changes & BERTH__FACTS_LABELS) != 0)
        layout->label_epoch = epoch;
}

void berth__facts_news_moved(berth__layout *layout, uint64_t epoch)
{
    berth__facts_news_add(layout, BERTH__SLOT_NONE, BERTH__FACTS_MOVED, 0, epoch);
}

void berth__facts_news_lose(berth__layout *layout, uint64_t epoch)
{
    layout->note_begin = layout->note_end;
    layout->epoch = epoch;
}

bool berth__facts_news_since(const berth__layout *layout, berth__facts_kind kind, uint64_t epoch,
                             berth__facts_news *out)
{
    *out = (berth__facts_news){.next = layout->note_end, .end = layout->note_end};
    while (out->next != layout->note_begin) {
        const berth__facts_note *note = note_at(layout, --out->next);
        out->changes |= note->changes;
        out->images |= note->images;
        if (epoch_before(note, kind) == epoch)
            return true;
    }
    return false;
}

const berth__facts_note *berth__facts_news_next(const berth__layout *layout,
                                                berth__facts_news *news, uint32_t changes)
{
    while (news->next != news->end) {
        const berth__facts_note *note = note_at(layout, news->next++);
        if ((note->changes & changes) != 0)
            return note;
    }
    return NULL;
}
