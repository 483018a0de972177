/* The functions of expressions, operators among them, with their signatures. */
#include "cel/functions.h"

static berth__cel_value never(berth__cel_run *run, const berth__cel_node *node,
                              const berth__cel_value *args)
{
    (void)run, (void)node, (void)args; /* used by the checker only, or done in evaluate.c itself */
    return berth__cel_no_overload();
}

static const berth__cel_function functions[] = {
    {"_&&_", "bb>b", false, NULL},
    {"_||_", "bb>b", false, NULL},
    {"_?_:_", "bAA>A", false, NULL},
    {"_==_", "AA>b", false, berth__cel_op_equal},
    {"_!=_", "AA>b", false, berth__cel_op_differ},
#define ORDERED "bb>b ii>b id>b iu>b uu>b ud>b ui>b dd>b di>b du>b ss>b yy>b"
    {"_<_", ORDERED, false, berth__cel_op_less},
    {"_<=_", ORDERED, false, berth__cel_op_less_equal},
    {"_>_", ORDERED, false, berth__cel_op_greater},
    {"_>=_", ORDERED, false, berth__cel_op_greater_equal},
    {"_+_", "yy>y dd>d ii>i LALA>LA ss>s uu>u", false, berth__cel_op_add},
    {"_-_", "dd>d ii>i uu>u", false, berth__cel_op_subtract},
    {"_*_", "dd>d ii>i uu>u", false, berth__cel_op_multiply},
    {"_/_", "dd>d ii>i uu>u", false, berth__cel_op_divide},
    {"_%_", "ii>i uu>u", false, berth__cel_op_modulo},
    {"-_", "d>d i>i", false, berth__cel_op_negate},
    {"!_", "b>b", false, berth__cel_op_not},
    {"@in", "ALA>b AMAB>b", false, berth__cel_op_in},
    {"_[_]", "LAi>A MABA>B OLAi>OA OMABA>OB", false, never},
    {"_[?_]", "LAi>OA OLAi>OA MABA>OB OMABA>OB", false, never},
    {"cel.@mapInsert", "MABAB>MAB MABMAB>MAB", false, never},
    {"type", "A>TA", false, berth__cel_type_of_value},
    {"dyn", "A>D", false, berth__cel_to_dyn},
    {"int", "i>i d>i s>i u>i", true, berth__cel_to_int},
    {"uint", "u>u d>u i>u s>u", true, berth__cel_to_uint},
    {"double", "d>d i>d s>d u>d", true, berth__cel_to_double},
    {"string", "s>s b>s y>s d>s i>s u>s I>s N>s", true, berth__cel_to_string},
    {"bytes", "y>y s>y", true, berth__cel_to_bytes},
    {"bool", "b>b s>b", true, berth__cel_to_bool},
    {"size", "y>i .y>i LA>i .LA>i MAB>i .MAB>i s>i .s>i", false, berth__cel_size},
    {"startsWith", ".ss>b", false, berth__cel_starts_with},
    {"endsWith", ".ss>b", false, berth__cel_ends_with},
    {"contains", ".ss>b", false, berth__cel_contains},
    {"matches", "ss>b .ss>b", false, berth__cel_matches},
    {"find", ".ss>s", true, berth__cel_find_first},
    {"findAll", ".ss>Ls .ssi>Ls", true, berth__cel_find_all},
    {"lowerAscii", ".s>s", true, berth__cel_lower},
    {"upperAscii", ".s>s", true, berth__cel_upper},
    {"trim", ".s>s", true, berth__cel_trim},
    {"charAt", ".si>s", true, berth__cel_char_at},
    {"indexOf", ".ss>i .ssi>i .LAA>i", true, berth__cel_index_of},
    {"lastIndexOf", ".ss>i .ssi>i .LAA>i", true, berth__cel_last_index_of},
    {"substring", ".si>s .sii>s", true, berth__cel_substring},
    {"replace", ".sss>s .sssi>s", true, berth__cel_replace},
    {"split", ".ss>Ls .ssi>Ls", true, berth__cel_split},
    {"join", ".Ls>s .Lss>s", true, berth__cel_join},
    {"isSorted", ".Li>b .Lu>b .Ld>b .Lb>b .Ls>b .Ly>b", true, berth__cel_is_sorted},
    {"sum", ".Li>i .Lu>u .Ld>d", true, berth__cel_sum},
    {"min", ".Li>i .Lu>u .Ld>d .Lb>b .Ls>s .Ly>y", true, berth__cel_least},
    {"max", ".Li>i .Lu>u .Ld>d .Lb>b .Ls>s .Ly>y", true, berth__cel_most},
    {"reverse", ".LA>LA", true, berth__cel_reverse},
    {"distinct", ".LA>LA", true, berth__cel_distinct},
    {"slice", ".LAii>LA", true, berth__cel_slice},
    {"sort", ".Li>Li .Lu>Lu .Ld>Ld .Lb>Lb .Ls>Ls .Ly>Ly", false, berth__cel_sort},
    {"flatten", ".LLA>LA .LDi>LD", false, berth__cel_flatten},
    {"lists.range", "i>Li", true, berth__cel_range},
    {"sets.contains", "LALA>b", true, berth__cel_sets_contain},
    {"sets.equivalent", "LALA>b", true, berth__cel_sets_equivalent},
    {"sets.intersects", "LALA>b", true, berth__cel_sets_intersect},
    {"includes", ".DD>b", true, berth__cel_includes},
    {"optional.of", "A>OA", true, berth__cel_optional_of},
    {"optional.ofNonZeroValue", "A>OA", true, berth__cel_optional_of_non_zero},
    {"optional.none", ">OA", true, berth__cel_optional_none},
    {"optional.unwrap", "LOA>LA", true, berth__cel_optional_unwrap},
    {"unwrapOpt", ".LOA>LA", true, berth__cel_optional_unwrap},
    {"value", ".OA>A", true, berth__cel_optional_value},
    {"hasValue", ".OA>b", true, berth__cel_optional_has_value},
    {"or", ".OAOA>OA", false, NULL},
    {"orValue", ".OAA>A", false, NULL},
    {"first", ".LA>OA", true, berth__cel_first},
    {"last", ".LA>OA", true, berth__cel_last},
    {"quantity", "s>Q", true, berth__cel_quantity_of},
    {"isQuantity", "s>b", true, berth__cel_is_quantity},
    {"sign", "Q>i", true, berth__cel_sign},
    {"isGreaterThan", ".QQ>b .VV>b", true, berth__cel_is_greater},
    {"isLessThan", ".QQ>b .VV>b", true, berth__cel_is_less},
    {"compareTo", ".QQ>i .VV>i", true, berth__cel_compare_to},
    {"add", ".QQ>Q .Qi>Q", true, berth__cel_add},
    {"sub", ".QQ>Q .Qi>Q", true, berth__cel_sub},
    {"asInteger", ".Q>i", true, berth__cel_as_integer},
    {"isInteger", ".Q>b", true, berth__cel_is_integer},
    {"asApproximateFloat", ".Q>d", true, berth__cel_as_float},
    {"semver", "s>V sb>V", true, berth__cel_semver_of},
    {"isSemver", "s>b sb>b", true, berth__cel_is_semver},
    {"major", ".V>i", true, berth__cel_major},
    {"minor", ".V>i", true, berth__cel_minor},
    {"patch", ".V>i", true, berth__cel_patch},
    {"ip", "s>I .N>I", true, berth__cel_ip_of},
    {"isIP", "s>b", true, berth__cel_is_ip},
    {"ip.isCanonical", "s>b", true, berth__cel_ip_is_canonical},
    {"family", ".I>i", true, berth__cel_ip_family},
    {"isUnspecified", ".I>b", true, berth__cel_ip_is_unspecified},
    {"isLoopback", ".I>b", true, berth__cel_ip_is_loopback},
    {"isLinkLocalMulticast", ".I>b", true, berth__cel_ip_is_link_local_multicast},
    {"isLinkLocalUnicast", ".I>b", true, berth__cel_ip_is_link_local_unicast},
    {"isGlobalUnicast", ".I>b", true, berth__cel_ip_is_global_unicast},
    {"cidr", "s>N", true, berth__cel_cidr_of},
    {"isCIDR", "s>b", true, berth__cel_is_cidr},
    {"containsIP", ".Ns>b .NI>b", true, berth__cel_cidr_contains_ip},
    {"containsCIDR", ".Ns>b .NN>b", true, berth__cel_cidr_contains_cidr},
    {"prefixLength", ".N>i", true, berth__cel_cidr_prefix_length},
    {"masked", ".N>N", true, berth__cel_cidr_masked},
};

const berth__cel_function *berth__cel_function_find(berth_str name)
{
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        if (berth__str_is(name, functions[i].name))
            return &functions[i];
    }
    return NULL;
}

/* Whether a value is of the type at `*at`, which moves past it. As in cel-go, a list is judged by
 * its first element; the entries of maps and optionals are not looked at. */
static bool is_of(berth__cel_value value, const char **at)
{
    char letter = *(*at)++;
    switch (letter) {
    case 'b':
        return value.kind == BERTH__CEL_TYPE_BOOL;
    case 'i':
        return value.kind == BERTH__CEL_TYPE_INT;
    case 'u':
        return value.kind == BERTH__CEL_TYPE_UINT;
    case 'd':
        return value.kind == BERTH__CEL_TYPE_DOUBLE;
    case 's':
        return value.kind == BERTH__CEL_TYPE_STRING;
    case 'y':
        return value.kind == BERTH__CEL_TYPE_BYTES;
    case 'Q':
        return value.kind == BERTH__CEL_TYPE_QUANTITY;
    case 'V':
        return value.kind == BERTH__CEL_TYPE_SEMVER;
    case 'I':
        return value.kind == BERTH__CEL_TYPE_IP;
    case 'N':
        return value.kind == BERTH__CEL_TYPE_CIDR;
    case 'L': {
        bool empty = value.kind != BERTH__CEL_TYPE_LIST || value.list->count == 0;
        bool fits = is_of(empty ? value : value.list->items[0], at);
        return value.kind == BERTH__CEL_TYPE_LIST && (empty || fits);
    }
    case 'M':
        *at += 2;
        return value.kind == BERTH__CEL_TYPE_MAP;
    case 'O':
        (*at)++;
        return value.kind == BERTH__CEL_TYPE_OPTIONAL;
    default:
        return true;
    }
}

bool berth__cel_function_takes(const berth__cel_function *function, const berth__cel_value *args,
                               uint32_t count)
{
    for (const char *at = function->signatures; *at != '\0';) {
        uint32_t taken = 0;
        bool fits = true;
        if (*at == '.')
            at++;
        for (; *at != '>'; taken++) {
            berth__cel_value none = {.kind = BERTH__CEL_TYPE_ERROR};
            fits = is_of(taken < count ? args[taken] : none, &at) && fits;
        }
        if (fits && taken == count)
            return true;
        while (*at != '\0' && *at != ' ')
            at++;
        at += *at == ' ' ? 1 : 0;
    }
    return false;
}
