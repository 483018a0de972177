/* The same as embed.c, what_if.c and branches.c in small, in C++: place the pending pods of a
 * cluster and say why the others do not fit; try a change and take it back; plan on a branch.
 *     c++ -std=c++17 embed_cpp.cc $(pkg-config --cflags --libs berth) */
#include <iostream>

#include <berth/berth.hpp>

namespace
{

constexpr const char *cluster_yaml =
    "{apiVersion: v1, kind: Node, metadata: {name: a},\n"
    " status: {allocatable: {cpu: '4', memory: 8Gi, pods: '10'}}}\n"
    "---\n"
    "{apiVersion: v1, kind: Node, metadata: {name: b},\n"
    " status: {allocatable: {cpu: '4', memory: 8Gi, pods: '10'}}}\n"
    "---\n"
    "{apiVersion: v1, kind: Pod, metadata: {name: running},\n"
    " spec: {nodeName: a, containers: [{name: main, resources: {requests: {cpu: '2'}}}]}}\n"
    "---\n"
    "{apiVersion: v1, kind: Pod, metadata: {name: small},\n"
    " spec: {containers: [{name: main, resources: {requests: {cpu: '3'}}}]}}\n"
    "---\n"
    "{apiVersion: v1, kind: Pod, metadata: {name: large},\n"
    " spec: {containers: [{name: main, resources: {requests: {cpu: '9'}}}]}}\n";

void place_all(berth::engine &engine)
{
    berth::explanation why;
    for (berth_pod_id pod : engine.pending()) {
        const berth_placement placement = engine.decide(pod, &why);
        std::cout << engine.pod_name(pod).second << ": ";
        if (placement.verdict == BERTH_VERDICT_PLACED) {
            engine.bind(pod, placement.node);
            std::cout << engine.node_name(placement.node) << '\n';
        } else {
            std::cout << why.message() << '\n';
        }
    }
}

// Would the pods of a node fit elsewhere? Leaving the scope takes everything back.
bool can_drain(berth::cluster &cluster, berth_node_id node)
{
    berth::transaction attempt(cluster);
    const std::vector<berth_pod_id> pods = cluster.node_pods(node);
    cluster.close_node(node, true);
    for (berth_pod_id pod : pods)
        cluster.unbind(pod);
    return cluster.schedule_pods(pods, BERTH_GROUP_ALL).fitted == pods.size();
}

// Errors are exceptions: what() has the whole message, detail() its parts.
void show_error(berth::engine &engine)
{
    try {
        engine.load_text("{kind: Pod, apiVersion: v1, metadata: {name: odd}, spec: {nodeName: 7}}",
                         "odd.yaml");
    } catch (const berth::error &error) {
        std::cout << berth_status_name(error.code()) << ": " << error.what() << '\n';
    }
}

} // namespace

int main()
{
    try {
        berth::engine engine;
        engine.load_text(cluster_yaml, "cluster");
        place_all(engine);
        const berth_node_id a = engine.find_node("a");
        std::cout << std::boolalpha << "node a can be drained: " << can_drain(engine, a) << '\n';

        engine.publish();
        berth::branch plan = engine.pin().make_branch();
        plan.unbind(plan.find_pod("default", "small"));
        std::cout << "without the small pod: " << can_drain(plan, a) << '\n';
        show_error(engine);
    } catch (const berth::error &error) {
        std::cerr << "embed_cpp: " << error.what() << '\n';
        return 1;
    }
    return 0;
}
