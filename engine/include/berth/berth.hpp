/* Berth for C++17: owners that free what they hold, exceptions for errors, guards for transactions.
 * Header only; everything is inline and calls the C functions of berth.h.
 *
 *     berth::engine engine;
 *     engine.load_file("cluster.yaml");
 *     berth::explanation why;
 *     for (berth_pod_id pod : engine.pending()) {
 *         berth_placement placement = engine.decide(pod, &why);
 *         if (placement.verdict == BERTH_VERDICT_PLACED)
 *             engine.bind(pod, placement.node);
 *         else
 *             std::cout << why.message() << '\n';
 *     }
 *
 * A member function is the C function of the same name: berth::engine::fit_count is
 * berth_engine_fit_count. The comment on the C function says units, errors, threads and cost, and
 * they hold here. This header adds:
 *
 *   Errors     A call that fails throws berth::error. Exceptions instead of result values, because
 *              constructors and guards need them, and because no error can be overlooked. A pod
 *              that fits nowhere is no error but a verdict, as in C. A cancelled call is none,
 *              either: its result says how much was done. Functions that return a std::vector, and
 *              those that copy text, can throw std::bad_alloc, too.
 *   Owner      The classes own what they hold and can be moved, not copied (snapshots can). An
 *              engine must outlive its snapshots and branches, and a transaction must end before
 *              its engine or branch; declaring them in this order in one block is enough. Texts
 *              are std::string_view, borrowed as in C.
 *   Callbacks  They may throw: the exception passes through the library and comes out of the call.
 *   C          c() returns the C handle, for functions that have no member here. */
#ifndef BERTH_BERTH_HPP
#define BERTH_BERTH_HPP

#include <type_traits>

#include "berth/cluster.hpp"

namespace berth
{

/* ---- transactions ---- */

/* Opens a transaction, and rolls it back when it goes out of scope unless commit was called. Nested
 * ones end in the reverse order. */
class transaction
{
  public:
    explicit transaction(cluster &of) : engine_(of.c())
    {
        detail::check([&](berth_error *e) { return berth_engine_begin(engine_, e); });
    }

    ~transaction()
    {
        if (engine_ != nullptr)
            (void)berth_engine_rollback(engine_, nullptr);
    }

    transaction(transaction &&other) noexcept : engine_(std::exchange(other.engine_, nullptr))
    {
    }
    transaction(const transaction &) = delete;
    transaction &operator=(const transaction &) = delete;
    transaction &operator=(transaction &&) = delete;

    void commit()
    {
        end(berth_engine_commit);
    }
    void rollback()
    {
        end(berth_engine_rollback);
    }

  private:
    void end(berth_status (*how)(berth_engine *, berth_error *))
    {
        detail::check([&](berth_error *e) { return how(engine_, e); });
        engine_ = nullptr;
    }

    berth_engine *engine_; /* null: it has ended */
};

/* ---- branches, snapshots, engines ---- */

/* A what-if cluster that begins as a snapshot; see branch.h. */
class branch : public cluster
{
  public:
    explicit branch(berth_snapshot *from) : cluster(make(from))
    {
    }
    ~branch()
    {
        berth_branch_drop(c());
    }
    branch(branch &&) noexcept = default;
    branch &operator=(branch &&other) noexcept
    {
        if (this != &other) {
            berth_branch_drop(c());
            cluster::operator=(std::move(other));
        }
        return *this;
    }

    /* Repeat the branch's placements on its engine. Returns the conflicts, at most `capacity`; if
     * there is any, the engine is unchanged. */
    std::vector<berth_conflict> commit(std::uint32_t capacity = 16)
    {
        std::uint32_t count = 0;
        std::vector<berth_conflict> out(capacity > 0 ? capacity : 1);
        detail::check([&](berth_error *e) {
            return berth_branch_commit(c(), out.data(), static_cast<std::uint32_t>(out.size()),
                                       &count, e);
        });
        out.resize(count < out.size() ? count : out.size());
        return out;
    }

  private:
    static berth_engine *make(berth_snapshot *from)
    {
        berth_engine *out = nullptr;
        detail::check([&](berth_error *e) { return berth_branch_create(from, &out, e); });
        return out;
    }
};

/* A pin of a snapshot; a copy is one more pin. Empty if nothing was published when it was taken. */
class snapshot
{
  public:
    /* Takes over a pin. */
    explicit snapshot(berth_snapshot *pinned = nullptr) noexcept : handle_(pinned)
    {
    }
    ~snapshot()
    {
        berth_snapshot_unpin(handle_);
    }
    snapshot(const snapshot &other) : handle_(berth_snapshot_pin(other.handle_))
    {
    }
    snapshot(snapshot &&other) noexcept : handle_(std::exchange(other.handle_, nullptr))
    {
    }
    snapshot &operator=(snapshot other) noexcept
    {
        std::swap(handle_, other.handle_);
        return *this;
    }

    explicit operator bool() const noexcept
    {
        return handle_ != nullptr;
    }
    berth_snapshot *c() const noexcept
    {
        return handle_;
    }

    std::uint64_t number() const
    {
        return berth_snapshot_number(c());
    }
    std::uint64_t digest() const
    {
        return berth_snapshot_digest(c());
    }
    berth_node_id pod_node(berth_pod_id pod) const
    {
        return berth_snapshot_pod_node(c(), pod);
    }

    berth_node_id find_node(std::string_view name) const
    {
        return berth_snapshot_find_node(c(), str(name));
    }

    berth_pod_id find_pod(std::string_view namespace_name, std::string_view name) const
    {
        return berth_snapshot_find_pod(c(), str(namespace_name), str(name));
    }

    std::string_view node_name(berth_node_id node) const
    {
        return view(berth_snapshot_node_name(c(), node));
    }

    berth_counts counts() const
    {
        berth_counts out;
        berth_snapshot_counts(c(), &out);
        return out;
    }

    amounts node_resource(berth_node_id node, std::string_view resource) const
    {
        amounts out;
        detail::check([&](berth_error *e) {
            return berth_snapshot_node_resource(c(), node, str(resource), &out.allocatable,
                                                &out.requested, e);
        });
        return out;
    }

    berth::branch make_branch() const
    {
        return berth::branch(c());
    }

  private:
    berth_snapshot *handle_;
};

/* A cluster in memory, with decisions on it; see engine.h. */
class engine : public cluster
{
  public:
    engine() : cluster(make(nullptr))
    {
    }
    explicit engine(const berth_engine_config &config) : cluster(make(&config))
    {
    }
    ~engine()
    {
        berth_engine_destroy(c());
    }
    engine(engine &&) noexcept = default;
    engine &operator=(engine &&other) noexcept
    {
        if (this != &other) {
            berth_engine_destroy(c());
            cluster::operator=(std::move(other));
        }
        return *this;
    }

    /* The defaults, for the constructor. */
    static berth_engine_config config()
    {
        berth_engine_config out;
        berth_engine_config_init(&out);
        return out;
    }

    void publish()
    {
        detail::check([&](berth_error *e) { return berth_engine_publish(c(), e); });
    }

    snapshot pin() const
    {
        return snapshot(berth_engine_pin(c()));
    }

    berth_memory memory() const
    {
        berth_memory out;
        detail::check([&](berth_error *e) { return berth_engine_memory(c(), &out, e); });
        return out;
    }

  private:
    static berth_engine *make(const berth_engine_config *from)
    {
        berth_engine *out = nullptr;
        detail::check([&](berth_error *e) { return berth_engine_create(from, &out, e); });
        return out;
    }
};

#ifdef BERTH_KUBE_H

/* ---- reading ---- */

/* Reads Kubernetes text and calls a function for each object: void(const berth_object &object,
 * const berth_error &origin). See berth_reader_file. */
class reader
{
  public:
    /* The defaults, for the constructor. */
    static berth_read_options options()
    {
        berth_read_options out;
        berth_read_options_init(&out);
        return out;
    }

    reader() : reader(options())
    {
    }
    explicit reader(const berth_read_options &how)
    {
        berth_reader *made = nullptr;
        detail::check([&](berth_error *e) { return berth_reader_create(&how, &made, e); });
        handle_.reset(made);
    }

    berth_reader *c() const noexcept
    {
        return handle_.get();
    }

    /* Each returns whether it was cancelled. */
    template <typename Each> bool file(const std::string &path, Each &&each)
    {
        return run(each, [&](berth_object_fn object, void *context, berth_error *e) {
            return berth_reader_file(c(), path.c_str(), object, context, e);
        });
    }

    template <typename Each>
    bool text(std::string_view from, const std::string &source, Each &&each)
    {
        return run(each, [&](berth_object_fn object, void *context, berth_error *e) {
            return berth_reader_text(c(), str(from), source.c_str(), object, context, e);
        });
    }

    /* Once, after the last input. */
    template <typename Each> bool finish(cluster &of, Each &&each)
    {
        return run(each, [&](berth_object_fn object, void *context, berth_error *e) {
            return berth_reader_finish(c(), of.c(), object, context, e);
        });
    }

  private:
    template <typename Function>
    static berth_status on_object(void *context, const berth_object *object,
                                  const berth_error *origin, berth_error *failure)
    {
        return static_cast<detail::callback<Function> *>(context)->run(failure, *object, *origin);
    }

    template <typename Each, typename Call> static bool run(Each &each, Call &&call)
    {
        using function = std::remove_reference_t<Each>;
        detail::callback<function> kept(each);
        berth_error failure;
        const berth_status status = call(on_object<function>, &kept, &failure);
        kept.rethrow();
        if (status != BERTH_OK && status != BERTH_E_CANCELLED)
            throw error(failure);
        return status == BERTH_E_CANCELLED;
    }

    detail::owner<berth_reader, berth_reader_destroy> handle_;
};

#endif

} // namespace berth

#endif
