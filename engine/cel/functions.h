/* Implementations of the functions of expressions. functions.c lists them. */
#ifndef BERTH_CEL_FUNCTIONS_H
#define BERTH_CEL_FUNCTIONS_H

#include "cel/syntax.h"

#define BERTH__CEL_FUNCTION(name)                                                        \
    berth__cel_value berth__cel_##name(berth__cel_run *run, const berth__cel_node *node, \
                                       const berth__cel_value *args)

/* ---- operators ---- */
BERTH__CEL_FUNCTION(op_equal);
BERTH__CEL_FUNCTION(op_differ);
BERTH__CEL_FUNCTION(op_less);
BERTH__CEL_FUNCTION(op_less_equal);
BERTH__CEL_FUNCTION(op_greater);
BERTH__CEL_FUNCTION(op_greater_equal);
BERTH__CEL_FUNCTION(op_add);
BERTH__CEL_FUNCTION(op_subtract);
BERTH__CEL_FUNCTION(op_multiply);
BERTH__CEL_FUNCTION(op_divide);
BERTH__CEL_FUNCTION(op_modulo);
BERTH__CEL_FUNCTION(op_negate);
BERTH__CEL_FUNCTION(op_not);
BERTH__CEL_FUNCTION(op_in);

/* ---- conversions ---- */
BERTH__CEL_FUNCTION(to_int);
BERTH__CEL_FUNCTION(to_uint);
BERTH__CEL_FUNCTION(to_double);
BERTH__CEL_FUNCTION(to_string);
BERTH__CEL_FUNCTION(to_bytes);
BERTH__CEL_FUNCTION(to_bool);
BERTH__CEL_FUNCTION(to_dyn);
BERTH__CEL_FUNCTION(type_of_value);

/* ---- texts ---- */
BERTH__CEL_FUNCTION(size);
BERTH__CEL_FUNCTION(starts_with);
BERTH__CEL_FUNCTION(ends_with);
BERTH__CEL_FUNCTION(contains);
BERTH__CEL_FUNCTION(lower);
BERTH__CEL_FUNCTION(upper);
BERTH__CEL_FUNCTION(trim);
BERTH__CEL_FUNCTION(char_at);
BERTH__CEL_FUNCTION(index_of);
BERTH__CEL_FUNCTION(last_index_of);
BERTH__CEL_FUNCTION(substring);
BERTH__CEL_FUNCTION(replace);
BERTH__CEL_FUNCTION(split);
BERTH__CEL_FUNCTION(join);
BERTH__CEL_FUNCTION(matches);
BERTH__CEL_FUNCTION(find_first);
BERTH__CEL_FUNCTION(find_all);

/* ---- lists, sets, maps, optionals ---- */
BERTH__CEL_FUNCTION(is_sorted);
BERTH__CEL_FUNCTION(sum);
BERTH__CEL_FUNCTION(least);
BERTH__CEL_FUNCTION(most);
BERTH__CEL_FUNCTION(reverse);
BERTH__CEL_FUNCTION(distinct);
BERTH__CEL_FUNCTION(slice);
BERTH__CEL_FUNCTION(sort);
BERTH__CEL_FUNCTION(range);
BERTH__CEL_FUNCTION(flatten);
BERTH__CEL_FUNCTION(sets_contain);
BERTH__CEL_FUNCTION(sets_equivalent);
BERTH__CEL_FUNCTION(sets_intersect);
BERTH__CEL_FUNCTION(includes);
BERTH__CEL_FUNCTION(optional_of);
BERTH__CEL_FUNCTION(optional_of_non_zero);
BERTH__CEL_FUNCTION(optional_none);
BERTH__CEL_FUNCTION(optional_value);
BERTH__CEL_FUNCTION(optional_has_value);
BERTH__CEL_FUNCTION(optional_unwrap);
BERTH__CEL_FUNCTION(first);
BERTH__CEL_FUNCTION(last);

/* ---- Kubernetes' types ---- */
BERTH__CEL_FUNCTION(quantity_of);
BERTH__CEL_FUNCTION(is_quantity);
BERTH__CEL_FUNCTION(sign);
BERTH__CEL_FUNCTION(is_greater);
BERTH__CEL_FUNCTION(is_less);
BERTH__CEL_FUNCTION(compare_to);
BERTH__CEL_FUNCTION(add);
BERTH__CEL_FUNCTION(sub);
BERTH__CEL_FUNCTION(as_integer);
BERTH__CEL_FUNCTION(is_integer);
BERTH__CEL_FUNCTION(as_float);
BERTH__CEL_FUNCTION(semver_of);
BERTH__CEL_FUNCTION(is_semver);
BERTH__CEL_FUNCTION(major);
BERTH__CEL_FUNCTION(minor);
BERTH__CEL_FUNCTION(patch);

/* ---- addresses ---- */
BERTH__CEL_FUNCTION(ip_of);
BERTH__CEL_FUNCTION(is_ip);
BERTH__CEL_FUNCTION(ip_is_canonical);
BERTH__CEL_FUNCTION(ip_family);
BERTH__CEL_FUNCTION(ip_is_unspecified);
BERTH__CEL_FUNCTION(ip_is_loopback);
BERTH__CEL_FUNCTION(ip_is_link_local_multicast);
BERTH__CEL_FUNCTION(ip_is_link_local_unicast);
BERTH__CEL_FUNCTION(ip_is_global_unicast);
BERTH__CEL_FUNCTION(cidr_of);
BERTH__CEL_FUNCTION(is_cidr);
BERTH__CEL_FUNCTION(cidr_contains_ip);
BERTH__CEL_FUNCTION(cidr_contains_cidr);
BERTH__CEL_FUNCTION(cidr_prefix_length);
BERTH__CEL_FUNCTION(cidr_masked);

#endif
