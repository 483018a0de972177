#include "model/gate_switches.h"

/* The text before the first `end`, or all of it; `rest` continues after `end`. */
static berth_str cut(berth_str *rest, char end)
{
    berth_str head = {rest->data, 0};
    while (head.len < rest->len && rest->data[head.len] != end)
        head.len++;
    const uint32_t taken = head.len < rest->len ? head.len + 1 : head.len;
    *rest = (berth_str){rest->data + taken, rest->len - taken};
    return head;
}

berth__gate_switch berth__gate_switch_next(berth_str *rest)
{
    const berth_str entry = cut(rest, ',');
    berth_str value = entry;
    const berth_str name = cut(&value, '=');
    return (berth__gate_switch){entry, name, value};
}
