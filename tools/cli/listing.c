/* Options of lists. */
#include "cli/listing.h"

#include "cli/terminal.h"
#include "cli/words.h"

option_group listing_options(listing *l, uint32_t flags, const char *const *sorts,
                             const char *negative)
{
    uint32_t count = 0;
    l->options[count++] = (option){.name = "output",
                                   .letter = 'o',
                                   .kind = OPTION_CHOICE,
                                   .value = "FORMAT",
                                   .target = &l->format,
                                   .choices = output_list_format_names,
                                   .help = "form of the results"};
    if (sorts != NULL)
        l->options[count++] = (option){.name = "sort",
                                       .kind = OPTION_CHOICE,
                                       .value = "KEY",
                                       .target = &l->sort,
                                       .choices = sorts,
                                       .help = "order of the list"};
    if ((flags & LISTING_NAMESPACE) != 0)
        l->options[count++] = (option){.name = "only-namespace",
                                       .kind = OPTION_TEXT,
                                       .value = "NAMESPACE",
                                       .target = &l->namespace_name,
                                       .help = "list what is in this namespace alone"};
    if ((flags & LISTING_PENDING) != 0)
        l->options[count++] = (option){.name = "pending",
                                       .kind = OPTION_FLAG,
                                       .target = &l->pending,
                                       .help = "list what found no place"};
    if ((flags & LISTING_EXIT_CODE) != 0)
        l->options[count++] = (option){
            .name = "exit-code", .kind = OPTION_FLAG, .target = &l->exit_code, .help = negative};
    return (option_group){l->options, count, OPTIONS_LIST};
}

void listing_apply(const listing *l)
{
    if (l->format == OUTPUT_WIDE)
        terminal_set_wide();
}

bool listing_is_table(const listing *l)
{
    return l->format == OUTPUT_TABLE || l->format == OUTPUT_WIDE;
}

bool listing_has(const listing *l, berth_str namespace_name)
{
    return l->namespace_name == NULL || words_equal(namespace_name, words_of(l->namespace_name));
}
