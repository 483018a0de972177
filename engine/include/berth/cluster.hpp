/* The calls that engines and branches have in common. See berth.hpp. */
#ifndef BERTH_CLUSTER_HPP
#define BERTH_CLUSTER_HPP

#include <optional>

#include "berth/basics.hpp"

namespace berth
{

/* Amounts of one resource: cpu in milli, all others in units. */
struct amounts {
    std::int64_t allocatable;
    std::int64_t requested;
};

/* A pod that left `node` for the pod at `preemptor` of a group; it is pending. */
struct group_eviction {
    berth_pod_id victim;
    berth_node_id node;
    std::uint32_t preemptor;
};

/* How many pods of a group fit, and the decision for each; cancelled: nothing was placed. */
struct group_result {
    std::uint32_t fitted;
    bool cancelled;
    std::vector<berth_placement> placements;
    std::vector<group_eviction> evictions; /* with BERTH_GROUP_PREEMPT */
};

/* How many pods fit, and where; cancelled: so many at least. */
struct fit_result {
    bool cancelled;
    std::vector<berth_node_id> nodes;
    std::uint32_t count() const noexcept
    {
        return static_cast<std::uint32_t>(nodes.size());
    }
};

/* How many objects were added; cancelled: they stay, and later ones are missing. */
struct load_result {
    std::uint64_t objects;
    bool cancelled;
};

namespace detail
{
struct evictions_to {
    std::vector<group_eviction> *list;
    bool failed;
};

/* No exception may pass through C. */
inline void take_eviction(void *context, berth_pod_id victim, berth_node_id node,
                          std::uint32_t preemptor) noexcept
{
    auto *to = static_cast<evictions_to *>(context);
    try {
        to->list->push_back({victim, node, preemptor});
    } catch (const std::bad_alloc &) {
        to->failed = true;
    }
}
} // namespace detail

/* The calls of an engine and of a branch. Not created by itself. */
class cluster
{
  public:
    berth_engine *c() const noexcept
    {
        return handle_;
    }

    berth_object_id add(const berth_object &object)
    {
        berth_object_id id;
        detail::check([&](berth_error *e) { return berth_engine_add(c(), &object, &id, e); });
        return id;
    }

    berth_node_id add_node(const berth_node &node)
    {
        berth_node_id id;
        detail::check([&](berth_error *e) { return berth_engine_add_node(c(), &node, &id, e); });
        return id;
    }

    berth_pod_id add_pod(const berth_pod &pod)
    {
        berth_pod_id id;
        detail::check([&](berth_error *e) { return berth_engine_add_pod(c(), &pod, &id, e); });
        return id;
    }

    berth_pod_id add_like(berth_pod_id like, std::string_view name)
    {
        berth_pod_id id;
        detail::check(
            [&](berth_error *e) { return berth_engine_add_like(c(), like, str(name), &id, e); });
        return id;
    }

    void update(const berth_object &object)
    {
        detail::check([&](berth_error *e) { return berth_engine_update(c(), &object, e); });
    }

    void remove(berth_kind kind, std::string_view namespace_name, std::string_view name)
    {
        detail::check([&](berth_error *e) {
            return berth_engine_remove(c(), kind, str(namespace_name), str(name), e);
        });
    }

    /* BERTH_NODE_NONE and BERTH_POD_NONE: there is none. */
    berth_node_id find_node(std::string_view name) const
    {
        return berth_engine_find_node(c(), str(name));
    }

    berth_pod_id find_pod(std::string_view namespace_name, std::string_view name) const
    {
        return berth_engine_find_pod(c(), str(namespace_name), str(name));
    }

    std::string_view node_name(berth_node_id node) const
    {
        return view(berth_engine_node_name(c(), node));
    }

    /* Namespace and name. */
    std::pair<std::string_view, std::string_view> pod_name(berth_pod_id pod) const
    {
        berth_str space, name;
        berth_engine_pod_name(c(), pod, &space, &name);
        return {view(space), view(name)};
    }

    berth_node_id pod_node(berth_pod_id pod) const
    {
        return berth_engine_pod_node(c(), pod);
    }
    std::int32_t pod_priority(berth_pod_id pod) const
    {
        return berth_engine_pod_priority(c(), pod);
    }

    std::vector<berth_pod_id> node_pods(berth_node_id node) const
    {
        return detail::collect<berth_pod_id>([&](berth_pod_id *out, std::uint32_t capacity) {
            return berth_engine_node_pods(c(), node, out, capacity);
        });
    }

    std::optional<std::string_view> node_label(berth_node_id node, std::string_view key) const
    {
        const berth_str value = berth_engine_node_label(c(), node, str(key));
        return value.data != nullptr ? std::optional(view(value)) : std::nullopt;
    }

    amounts node_resource(berth_node_id node, std::string_view resource) const
    {
        amounts out;
        detail::check([&](berth_error *e) {
            return berth_engine_node_resource(c(), node, str(resource), &out.allocatable,
                                              &out.requested, e);
        });
        return out;
    }

    berth_counts counts() const
    {
        berth_counts out;
        berth_engine_counts(c(), &out);
        return out;
    }

    std::vector<berth_pod_id> pending() const
    {
        std::uint64_t count;
        detail::check(
            [&](berth_error *e) { return berth_engine_pending(c(), nullptr, 0, &count, e); });
        std::vector<berth_pod_id> out(count);
        detail::check([&](berth_error *e) {
            return berth_engine_pending(c(), out.data(), count, nullptr, e);
        });
        return out;
    }

    /* `why` may be null. `flags`: BERTH_DECIDE_*. */
    berth_placement decide(berth_pod_id pod, explanation *why = nullptr, std::uint32_t flags = 0)
    {
        berth_placement out;
        berth_decide_options options;
        berth_decide_options_init(&options);
        options.flags = flags;
        options.explanation = why != nullptr ? why->c() : nullptr;
        detail::check(
            [&](berth_error *e) { return berth_engine_decide(c(), pod, &options, &out, e); });
        return out;
    }

    berth_placement schedule(berth_pod_id pod)
    {
        berth_placement out;
        detail::check([&](berth_error *e) { return berth_engine_schedule(c(), pod, &out, e); });
        return out;
    }

    void bind(berth_pod_id pod, berth_node_id node)
    {
        detail::check([&](berth_error *e) { return berth_engine_bind(c(), pod, node, e); });
    }

    void unbind(berth_pod_id pod)
    {
        detail::check([&](berth_error *e) { return berth_engine_unbind(c(), pod, e); });
    }

    void nominate(berth_pod_id pod, berth_node_id node)
    {
        detail::check([&](berth_error *e) { return berth_engine_nominate(c(), pod, node, e); });
    }

    void cordon_node(berth_node_id node, bool unschedulable)
    {
        detail::check(
            [&](berth_error *e) { return berth_engine_cordon_node(c(), node, unschedulable, e); });
    }

    void close_node(berth_node_id node, bool closed)
    {
        detail::check(
            [&](berth_error *e) { return berth_engine_close_node(c(), node, closed, e); });
    }

    /* `flags`: BERTH_GROUP_*; `minimum`: if fewer pods fit, none is placed. Throws std::bad_alloc,
     * too, if there is no memory for the evictions; the group is placed nevertheless. */
    group_result schedule_pods(const std::vector<berth_pod_id> &pods, std::uint32_t flags = 0,
                               std::uint32_t minimum = 0, const cancel_flag *cancel = nullptr)
    {
        group_result out{0, false, std::vector<berth_placement>(pods.size()), {}};
        detail::evictions_to to{&out.evictions, false};
        berth_group_options options{};
        options.size = sizeof(options);
        options.flags = flags;
        options.minimum = minimum;
        options.cancel = cancel != nullptr ? cancel->c() : nullptr;
        options.evicted = detail::take_eviction;
        options.context = &to;
        out.cancelled = detail::check_cancelled([&](berth_error *e) {
            return berth_engine_schedule_pods(c(), pods.data(),
                                              static_cast<std::uint32_t>(pods.size()), &options,
                                              out.placements.data(), &out.fitted, e);
        });
        if (to.failed)
            throw std::bad_alloc();
        return out;
    }

    /* Memory: four bytes for each pod up to `limit`. */
    fit_result fit_count(berth_pod_id like, std::uint32_t limit,
                         const cancel_flag *cancel = nullptr, explanation *why = nullptr)
    {
        fit_result out{false, std::vector<berth_node_id>(limit)};
        std::uint32_t count = 0;
        berth_fit_count_options options{};
        options.size = sizeof(options);
        options.limit = limit;
        options.nodes = out.nodes.data();
        options.explanation = why != nullptr ? why->c() : nullptr;
        options.cancel = cancel != nullptr ? cancel->c() : nullptr;
        out.cancelled = detail::check_cancelled([&](berth_error *e) {
            return berth_engine_fit_count_with(c(), like, &options, &count, e);
        });
        out.nodes.resize(count);
        return out;
    }

    /* `flags`: BERTH_FIT_*. */
    berth_fit fits(berth_pod_id pod, berth_node_id node, std::uint32_t flags = 0)
    {
        berth_fit out{};
        out.size = sizeof(out);
        detail::check(
            [&](berth_error *e) { return berth_engine_fits(c(), pod, node, flags, &out, e); });
        return out;
    }

    std::vector<berth_node_id> feasible_nodes(berth_pod_id pod)
    {
        std::uint32_t count = counts().nodes;
        std::vector<berth_node_id> out(count);
        detail::check([&](berth_error *e) {
            return berth_engine_feasible_nodes(c(), pod, out.data(), nullptr, count, &count, e);
        });
        out.resize(count);
        return out;
    }

    std::uint64_t digest() const
    {
        return berth_engine_digest(c());
    }

    void check()
    {
        detail::check([&](berth_error *e) { return berth_engine_check(c(), e); });
    }

#ifdef BERTH_KUBE_H
    /* NULL `options` suit manifests and dumps. */
    load_result load_file(const std::string &path, const berth_read_options *options = nullptr)
    {
        load_result out{0, false};
        out.cancelled = detail::check_cancelled([&](berth_error *e) {
            return berth_engine_load_file(c(), path.c_str(), options, &out.objects, e);
        });
        return out;
    }

    load_result load_text(std::string_view text, const std::string &source,
                          const berth_read_options *options = nullptr)
    {
        load_result out{0, false};
        out.cancelled = detail::check_cancelled([&](berth_error *e) {
            return berth_engine_load_text(c(), str(text), source.c_str(), options, &out.objects, e);
        });
        return out;
    }

    void dump_file(const std::string &path)
    {
        detail::check([&](berth_error *e) { return berth_engine_dump_file(c(), path.c_str(), e); });
    }
#endif

  protected:
    explicit cluster(berth_engine *handle) : handle_(handle)
    {
    }
    ~cluster() = default;
    cluster(cluster &&other) noexcept : handle_(std::exchange(other.handle_, nullptr))
    {
    }
    cluster &operator=(cluster &&other) noexcept
    {
        handle_ = std::exchange(other.handle_, nullptr);
        return *this;
    }

  private:
    berth_engine *handle_;
};

} // namespace berth

#endif
