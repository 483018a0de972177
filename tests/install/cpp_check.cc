// Every class of berth.hpp, against an installed Berth: which calls succeed, which throw, and that
// everything is freed. Prints the line of each check that fails.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <type_traits>

#include <berth/berth.hpp>

namespace
{

int failures = 0;

void expect(bool holds, int line)
{
    if (!holds) {
        std::printf("cpp_check.cc:%d does not hold\n", line);
        failures++;
    }
}

#define EXPECT(condition) expect((condition), __LINE__)

template <typename Call> berth_status code_of(Call &&call)
{
    try {
        call();
    } catch (const berth::error &e) {
        return e.code();
    }
    return BERTH_OK;
}

const char cluster_yaml[] =
    "{apiVersion: v1, kind: Node, metadata: {name: n1, labels: {zone: z1}},\n"
    " status: {allocatable: {cpu: '4', memory: 8Gi, pods: '10'}}}\n"
    "---\n"
    "{apiVersion: v1, kind: Pod, metadata: {name: small},\n"
    " spec: {containers: [{name: c, resources: {requests: {cpu: '1'}}}]}}\n"
    "---\n"
    "{apiVersion: v1, kind: Pod, metadata: {name: large},\n"
    " spec: {containers: [{name: c, resources: {requests: {cpu: '8'}}}]}}\n";

std::atomic<long> held{0}; // bytes of engines

void *allocate(void *, std::size_t bytes, std::size_t align)
{
    held += static_cast<long>(bytes);
    const std::size_t unit = align < 64 ? 64 : align;
    return std::aligned_alloc(unit, (bytes + unit - 1) / unit * unit);
}

void release(void *, void *memory, std::size_t bytes)
{
    held -= static_cast<long>(bytes);
    std::free(memory);
}

berth::engine loaded(const berth_allocator *allocator = nullptr)
{
    berth_engine_config config = berth::engine::config();
    config.threads = 1;
    config.allocator = allocator;
    berth::engine engine(config);
    EXPECT(engine.load_text(cluster_yaml, "cluster").objects == 3);
    return engine;
}

void check_texts()
{
    EXPECT(berth::view(berth_str{nullptr, 0}).data() == nullptr);
    EXPECT(berth::view(berth::str("abc")) == "abc");
    EXPECT(berth::view(berth_str_of("abc")) == "abc");
    EXPECT(berth::version_number() == BERTH_VERSION_NUMBER);
    EXPECT(BERTH_KUBERNETES_MINOR(berth::kubernetes_versions().front()) >= 37);
    EXPECT(berth::kubernetes_versions().back() == BERTH_KUBERNETES(32, 0));
}

void check_errors()
{
    berth::engine engine = loaded();
    EXPECT(code_of([&] { engine.load_text(cluster_yaml, "again"); }) == BERTH_E_EXISTS);
    EXPECT(code_of([&] { engine.unbind(engine.find_pod("default", "small")); }) == BERTH_E_STATE);
    EXPECT(code_of([&] { engine.node_resource(99, "cpu"); }) == BERTH_E_NOT_FOUND);
    EXPECT(code_of([&] { berth::branch branch(nullptr); }) == BERTH_E_ARG);
    try {
        engine.load_file("/no/such/file");
        EXPECT(false);
    } catch (const berth::error &e) {
        EXPECT(e.code() == BERTH_E_IO &&
               std::string(e.what()).find("/no/such/file") != std::string::npos);
        EXPECT(std::string(e.detail().source) == "/no/such/file");
    }
    berth_engine_config config = berth::engine::config();
    config.kubernetes = 99;
    EXPECT(code_of([&] { berth::engine none(config); }) == BERTH_E_UNSUPPORTED);
    config = berth::engine::config();
    config.memory_limit_bytes = 1;
    EXPECT(code_of([&] { berth::engine none(config); }) == BERTH_E_NOMEM);
}

void check_decisions()
{
    berth::engine engine = loaded();
    berth::explanation why;
    berth_pod_id small = engine.find_pod("default", "small"),
                 large = engine.find_pod("default", "large");
    berth_node_id node = engine.find_node("n1");
    EXPECT(engine.pending().size() == 2 && engine.counts().nodes == 1);
    EXPECT(engine.decide(large, &why).verdict == BERTH_VERDICT_UNSCHEDULABLE);
    EXPECT(why.message().find("Insufficient cpu") != std::string_view::npos);
    EXPECT(why.reason_counts().size() == 1 && why.reason_counts()[0].nodes == 1);
    EXPECT(why.victims().empty() && why.nominated() == BERTH_NODE_NONE && why.pre_filter().empty());
    EXPECT(engine.fits(small, node).verdict == BERTH_VERDICT_PLACED);
    EXPECT(engine.feasible_nodes(small).size() == 1 && engine.feasible_nodes(large).empty());
    EXPECT(engine.schedule(small).node == node && engine.pod_node(small) == node);
    EXPECT(engine.node_pods(node).size() == 1 && engine.node_pods(node)[0] == small);
    EXPECT(engine.node_resource(node, "cpu").requested == 1000);
    EXPECT(engine.node_label(node, "zone") == "z1" && !engine.node_label(node, "rack"));
    EXPECT(engine.node_name(node) == "n1" && engine.pod_name(small).second == "small");
    engine.unbind(small);
    engine.bind(small, node);
    engine.check();
    berth_pod_id more = engine.add_like(small, "more");
    EXPECT(engine.fit_count(more, 100).count() == 3);
    EXPECT(engine.schedule_pods({more, large}).fitted == 1);
    EXPECT(engine.schedule_pods({large}, BERTH_GROUP_PREEMPT).evictions.empty());
    engine.load_text(
        "apiVersion: v1\nkind: Pod\nmetadata: {name: urgent}\nspec: {priority: 10, containers: "
        "[{name: c, resources: {requests: {cpu: 3}}}]}\n",
        "urgent", nullptr);
    const auto evictions =
        engine.schedule_pods({engine.find_pod("default", "urgent")}, BERTH_GROUP_PREEMPT).evictions;
    EXPECT(evictions.size() == 1 && evictions[0].victim == more);
    EXPECT(evictions[0].node == node && evictions[0].preemptor == 0);
    engine.remove(BERTH_KIND_POD, "default", "more");
    EXPECT(engine.find_pod("default", "more") == BERTH_POD_NONE);
}

void check_cancellation()
{
    berth::engine engine = loaded();
    berth::cancel_flag flag;
    berth_pod_id small = engine.find_pod("default", "small");
    flag.set();
    EXPECT(flag.is_set());
    EXPECT(engine.fit_count(small, 100, &flag).cancelled);
    EXPECT(engine.schedule_pods({small}, 0, 0, &flag).cancelled);
    flag.clear();
    EXPECT(!engine.fit_count(small, 100, &flag).cancelled);
    berth_read_options options = berth::reader::options();
    options.cancel = flag.c();
    berth::reader reader(options);
    int objects = 0;
    bool cancelled =
        reader.text(cluster_yaml, "cluster", [&](const berth_object &, const berth_error &) {
            objects++;
            flag.set();
        });
    EXPECT(cancelled && objects == 1);
}

void check_transactions()
{
    berth::engine engine = loaded();
    berth_pod_id small = engine.find_pod("default", "small");
    {
        berth::transaction outer(engine);
        EXPECT(engine.schedule(small).verdict == BERTH_VERDICT_PLACED);
    }
    EXPECT(engine.pod_node(small) == BERTH_NODE_NONE);
    try {
        berth::transaction doomed(engine);
        engine.schedule(small);
        throw std::runtime_error("unwinds");
    } catch (const std::runtime_error &) {
    }
    EXPECT(engine.pod_node(small) == BERTH_NODE_NONE);
    berth::transaction kept(engine);
    engine.schedule(small);
    berth::transaction moved(std::move(kept));
    moved.commit();
    EXPECT(engine.pod_node(small) != BERTH_NODE_NONE);
    EXPECT(code_of([&] { moved.rollback(); }) != BERTH_OK);
    EXPECT(code_of([&] { berth::transaction(engine).rollback(); }) == BERTH_OK);
}

void check_branches()
{
    berth::engine engine = loaded();
    EXPECT(!engine.pin());
    engine.publish();
    berth::snapshot snapshot = engine.pin(), copy = snapshot;
    EXPECT(copy && copy.number() == 1 && copy.counts().nodes == 1);
    EXPECT(copy.digest() == engine.digest() && copy.node_name(copy.find_node("n1")) == "n1");
    EXPECT(copy.node_resource(copy.find_node("n1"), "cpu").allocatable == 4000);
    berth_pod_id small = snapshot.find_pod("default", "small");
    berth::branch branch = snapshot.make_branch();
    EXPECT(branch.schedule(small).verdict == BERTH_VERDICT_PLACED);
    EXPECT(engine.pod_node(small) == BERTH_NODE_NONE && copy.pod_node(small) == BERTH_NODE_NONE);
    EXPECT(branch.commit().empty() && engine.pod_node(small) != BERTH_NODE_NONE);
    std::vector<berth_conflict> conflicts = branch.commit();
    EXPECT(conflicts.size() == 1 && conflicts[0].kind == BERTH_CONFLICT_POD_MOVED);
    snapshot = engine.pin();
    branch = snapshot.make_branch(); // drops the first branch
    EXPECT(branch.counts().nodes == 1);
}

void check_callbacks()
{
    berth::engine engine;
    berth::reader reader;
    try {
        reader.text(cluster_yaml, "cluster", [](const berth_object &, const berth_error &) {
            throw std::runtime_error("mine");
        });
        EXPECT(false);
    } catch (const std::runtime_error &e) {
        EXPECT(std::string(e.what()) == "mine");
    }
    berth::reader second;
    auto add = [&](const berth_object &object, const berth_error &) { engine.add(object); };
    EXPECT(!second.text(cluster_yaml, "cluster", add) && !second.finish(engine, add));
    EXPECT(engine.counts().pods_pending == 2);
    EXPECT(code_of([&] { second.text("{", "broken", add); }) == BERTH_E_PARSE);
}

// However an owner ends, its memory is freed.
void check_owners()
{
    const berth_allocator allocator = {nullptr, allocate, release};
    static_assert(!std::is_copy_constructible_v<berth::engine> &&
                  !std::is_copy_constructible_v<berth::branch>);
    static_assert(std::is_nothrow_move_constructible_v<berth::engine> &&
                  std::is_nothrow_move_assignable_v<berth::branch>);
    static_assert(std::is_nothrow_copy_constructible_v<berth::error>);
    {
        berth::engine first = loaded(&allocator), second = std::move(first);
        EXPECT(first.c() == nullptr && second.counts().nodes == 1 && held > 0);
        second.publish();
        berth::snapshot snapshot = second.pin();
        berth::branch branch = snapshot.make_branch();
    }
    EXPECT(held == 0);
    {
        berth::engine replaced = loaded(&allocator);
        replaced = loaded(&allocator);
    }
    EXPECT(held == 0);
}

} // namespace

int main()
{
    check_texts();
    check_errors();
    check_decisions();
    check_cancellation();
    check_transactions();
    check_branches();
    check_callbacks();
    check_owners();
    std::printf("%s\n", failures == 0 ? "ok" : "failed");
    return failures == 0 ? 0 : 1;
}
