/* What the C++ headers share: texts, exceptions, cancellation and explanations. See berth.hpp. */
#ifndef BERTH_BASICS_HPP
#define BERTH_BASICS_HPP

#include <cstdint>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/berth.h"

namespace berth
{

/* ---- texts and errors ---- */

/* Text for the library, borrowed from `text`, and text of the library. Absent text has no data. */
inline berth_str str(std::string_view text)
{
    return berth_str{text.data(), static_cast<std::uint32_t>(text.size())};
}

inline std::string_view view(berth_str text)
{
    return text.data != nullptr ? std::string_view(text.data, text.len) : std::string_view();
}

/* A call failed. what() is the whole message, with place, object and field. */
class error : public std::runtime_error
{
  public:
    explicit error(const berth_error &from) : std::runtime_error(format(from)), detail_(from)
    {
    }

    berth_status code() const noexcept
    {
        return detail_.code;
    }
    const berth_error &detail() const noexcept
    {
        return detail_;
    }

  private:
    static std::string format(const berth_error &from)
    {
        std::string out(berth_error_format(&from, nullptr, 0) + 1, '\0');
        out.resize(berth_error_format(&from, out.data(), out.size()));
        return out;
    }

    berth_error detail_;
};

/* The version of the linked library (BERTH_VERSION_NUMBER is that of the headers), and the versions
 * of kube-scheduler that it knows, the newest first: BERTH_KUBERNETES_MINOR, _PATCH. */
inline std::uint32_t version_number() noexcept
{
    return berth_version_number();
}

inline std::vector<std::uint32_t> kubernetes_versions()
{
    std::vector<std::uint32_t> out(berth_kubernetes_versions(nullptr, 0));
    berth_kubernetes_versions(out.data(), static_cast<std::uint32_t>(out.size()));
    return out;
}

/* A flag that ends long calls (engine.h, "Cancellation"). Threads: any, set() also in a signal
 * handler. It must outlive the calls that use it. */
class cancel_flag
{
  public:
    cancel_flag() = default;
    cancel_flag(const cancel_flag &) = delete;
    cancel_flag &operator=(const cancel_flag &) = delete;

    void set() noexcept
    {
        __atomic_store_n(&value_, 1, __ATOMIC_RELAXED);
    }
    void clear() noexcept
    {
        __atomic_store_n(&value_, 0, __ATOMIC_RELAXED);
    }
    bool is_set() const noexcept
    {
        return __atomic_load_n(&value_, __ATOMIC_RELAXED) != 0;
    }
    berth_cancel_flag c() const noexcept
    {
        return &value_;
    }

  private:
    std::int32_t value_ = 0;
};

namespace detail
{

/* Run a C call that takes a berth_error, and throw if it fails. */
template <typename Call> void check(Call &&call)
{
    berth_error failure;
    if (call(&failure) != BERTH_OK)
        throw error(failure);
}

/* The same for a call that can be cancelled. Returns whether it was. */
template <typename Call> bool check_cancelled(Call &&call)
{
    berth_error failure;
    const berth_status status = call(&failure);
    if (status != BERTH_OK && status != BERTH_E_CANCELLED)
        throw error(failure);
    return status == BERTH_E_CANCELLED;
}

/* Fill a vector by a function that takes an array with its capacity and returns how many entries
 * there are. */
template <typename Value, typename Fill> std::vector<Value> collect(Fill &&fill)
{
    std::vector<Value> out(fill(static_cast<Value *>(nullptr), 0u));
    const std::uint32_t count = fill(out.data(), static_cast<std::uint32_t>(out.size()));
    if (count < out.size())
        out.resize(count);
    return out;
}

template <typename Handle, void (*Free)(Handle *)> struct freer {
    void operator()(Handle *handle) const noexcept
    {
        Free(handle);
    }
};

template <typename Handle, void (*Free)(Handle *)>
using owner = std::unique_ptr<Handle, freer<Handle, Free>>;

/* A C++ function behind a C callback. It catches what the function throws; rethrow() throws it
 * again when the C function has returned. */
template <typename Function> class callback
{
  public:
    explicit callback(Function &function) : function_(function)
    {
    }

    template <typename... Arguments>
    berth_status run(berth_error *failure, Arguments &&...arguments) noexcept
    {
        try {
            function_(std::forward<Arguments>(arguments)...);
            return BERTH_OK;
        } catch (...) {
            thrown_ = std::current_exception();
        }
        *failure = berth_error{};
        failure->code = BERTH_E_INTERNAL;
        return failure->code;
    }

    void rethrow() const
    {
        if (thrown_)
            std::rethrow_exception(thrown_);
    }

  private:
    Function &function_;
    std::exception_ptr thrown_;
};

} // namespace detail

/* ---- explanations ---- */

/* A reusable record of one decision. */
class explanation
{
  public:
    explicit explanation(const berth_allocator *allocator = nullptr)
    {
        berth_explanation *made = nullptr;
        detail::check(
            [&](berth_error *e) { return berth_explanation_create(allocator, &made, e); });
        handle_.reset(made);
    }

    berth_explanation *c() const noexcept
    {
        return handle_.get();
    }
    std::string_view message() const
    {
        return view(berth_explanation_message(c()));
    }
    std::string_view pre_filter() const
    {
        return view(berth_explanation_pre_filter(c()));
    }
    berth_node_id nominated() const
    {
        return berth_explanation_nominated(c());
    }

    std::vector<berth_pod_id> victims() const
    {
        std::vector<berth_pod_id> out;
        for (std::uint32_t i = 0; i < berth_explanation_victim_count(c()); i++)
            out.push_back(berth_explanation_victim(c(), i));
        return out;
    }

    std::vector<berth_reason_count> reason_counts() const
    {
        return detail::collect<berth_reason_count>(
            [&](berth_reason_count *out, std::uint32_t capacity) {
                return berth_explanation_reason_counts(c(), out, capacity);
            });
    }

  private:
    detail::owner<berth_explanation, berth_explanation_destroy> handle_;
};

} // namespace berth

#endif
