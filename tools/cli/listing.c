/* Options of lists. */
#include "cli/listing.h"

#include "cli/exits.h"
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
                                       .help = "list only this namespace"};
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
    output_settle((output_format)l->format);
}

int listing_check(const listing *l, bool summary_only, const char *command)
{
    if (!summary_only || !listing_is_flat(l))
        return EXIT_DONE;
    return exit_usage(command, "--output %s prints the list alone, which --summary leaves out",
                      output_list_format_names[l->format]);
}

bool listing_is_table(const listing *l)
{
    return output_is_text((output_format)l->format);
}

bool listing_is_flat(const listing *l)
{
    return output_is_flat((output_format)l->format);
}

bool listing_has(const listing *l, berth_str namespace_name)
{
    return l->namespace_name == NULL || words_equal(namespace_name, words_of(l->namespace_name));
}
