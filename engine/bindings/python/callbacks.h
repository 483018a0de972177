/* Functions that are defined in Python and called from C; cffi generates the C side of each.
 *
 * The callbacks of a scheduler. */
berth_answer berth_py_on_bind(void *context, const berth_binding *binding);
void berth_py_on_unbind(void *context, const berth_binding *binding, berth_unbind_reason reason);
berth_answer berth_py_on_evict(void *context, const berth_eviction *eviction);
void berth_py_on_report(void *context, berth_trouble trouble, const berth_error *error);
void berth_py_on_notify(void *context);

/* The functions of plugins (slices.h). */
int berth_py_on_configure(void *context, berth_str arguments, berth_error *error);
int berth_py_on_prepare(void *context, void *preparation, const berth_py_pod *pod, char *reason,
                        size_t size);
void berth_py_on_slice(void *context, const berth_py_slice *slice);
int berth_py_on_reserve(void *context, uint64_t pod, uint32_t node);
void berth_py_on_unreserve(void *context, uint64_t pod, uint32_t node);
