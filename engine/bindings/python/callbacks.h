/* The functions of a scheduler's callbacks that Python defines: cffi makes the C side of each. */
berth_answer berth_py_on_bind(void *context, const berth_binding *binding);
void berth_py_on_unbind(void *context, const berth_binding *binding, berth_unbind_reason reason);
berth_answer berth_py_on_evict(void *context, const berth_eviction *eviction);
void berth_py_on_report(void *context, berth_trouble trouble, const berth_error *error);
void berth_py_on_notify(void *context);
