# Which tests a tier runs, by name; tests/README.md has the table. berth_test gives these labels:
#   fast     part of `.ci/run --fast`: an answer in minutes
#   ci       takes minutes, such as building modules of Kubernetes in Go: not in ./tools/test
#   late     takes minutes, too: not in ./tools/test, but in the sanitizer stages as others
#   long     only in --long
#   again repeats decisions of another test of ./tools/test, for the builds that do not run that one
#   plain    only in the build without sanitizers, except for --long: others run that code under them
#   threads  starts threads: what ThreadSanitizer runs
# A test without `ci`, `late`, `again` and `long` is part of ./tools/test; one without `long`, of .ci/run.

set(BERTH_TIER_LONG
  "^test_churn_"                              # memory over many arrivals and departures
  "^mutant_|^mutants_of_order$"               # mutants: protocols with a part removed
  "^oracle_((gates_)?1\\.(32|33|34|35|36|36\\.3)|vectors)$" # kube-scheduler itself, also of earlier releases
  "^live_(bed_|reads_)?1\\."                  # real API servers
  "^install_(consumer|engine_only|packages|reproducible)$"
  "^release$"
  "^test_(index_model|scheduler_simulation)$" # a million decisions; elsewhere *_short
  "^test_history_model$"                      # interleavings of the protocol of snapshots
  "^go_(examples|package)_race$"              # client-go and k8s.io/api, compiled for the race detector
  "^go_(framework|schedulerlibrary)$"         # the framework of kube-scheduler, and a library on it: modules of their own
  "^live_suites$"                             # Kubernetes' own tests, built from its module
  "^live_clients$"                            # generators of clients, from PyPI and of Go
  "^cli_crash$"                               # hundreds of runs, each killed at another system call
  "^hostile$"                                 # counts the instructions of hundreds of runs
  "^docs_site$"                               # the documentation: needs doxygen
  "^go_stranger$"                             # the library and its module, built for two architectures
  "^python_wheel(_aarch64)?$")
set(BERTH_TIER_CI
  "^oracle_(gates_)?1\\.37$"
  "^vectors_v1\\.(32|36)_[a-z]+$"             # in every setting; ./tools/test runs each in four
  "^hostile_few$"                             # counts the instructions of dozens of runs
  "^go_(examples|package)$"
  "^live_chart$")                             # needs helm, which has many dependencies
set(BERTH_TIER_LATE
  "^live_fake$"                               # faults of a scripted API server
  "^gate_instructions$"
  "^docs_examples_checked$"                   # the examples under valgrind or sanitizers
  "^cli_bench_digests$"
  "^cli_unwritten$"                           # every workload under valgrind
  "^naive_"                                   # the naive scheduler: test code
  "^python_package$")
set(BERTH_TIER_AGAIN
  "^vectors_v1\\.(15|37)_(scan|index)_[14]$") # vectors_v1.37_FAMILY covers every setting
set(BERTH_TIER_PLAIN
  "^naive_"                                   # the naive scheduler, which is test code
  "^cli_(explain_vectors|lists|pages|replay|report|run_versions)$")
set(BERTH_TIER_THREADS
  "^test_(ahead|branch_model|branch_threads|branch_threads_swept)$"
  "^test_(curl_transport|deciding|device_fits|embedder_plugin|engine)$"
  "^test_(engine_model|engine_threads|engine_threads_numa|fork|history)$"
  "^test_(homes|image_column|inbox|index_model_short|legacy_plugins|limits|misuse|orders|outbox|parallel_scan)$"
  "^test_(permission|preemption|query_model|question|reader|reader_ahead_1|reader_ahead_200|replica|reviews)$"
  "^test_(scheduler_callbacks|scheduler_threads|secret_model|serving|shares|snapshots)$"
  "^test_(snapshots_swept|sweep|threads_refused|transaction_model)$"
  "^test_(what_if_model|workers)$"
  "^vectors_v1\\.37_scan_4$"                    # the other versions and the index: --long
  "^docs_examples_checked$"
  "^cli_run$" "^cli_run_extenders$" "^cli_serve$" "^live_fake$")
set(BERTH_TIER_FAST
  "^(layers|orders|words_|mutants_(in_step|equivalent|must_fail)$)"
  "^vectors_v[0-9.]+_(scan_1|index_4)$"
  "^cli_")
set(BERTH_TIER_FAST_NOT # the longest cases of the program
  "^cli_(bench_digests|errors|explain_vectors|hostile_bytes|lists|pages|real_clusters|unwritten)$"
  "^cli_(replay|replay_input|replay_openb|report|run|run_extenders|run_groups|run_lease|run_serve|run_versions|serve)$")

# berth_tier_labels(NAME LABELS OUT): sets OUT to the labels of a test, including those of its
# tiers.
function(berth_tier_labels name labels out)
  foreach(tier LONG CI LATE AGAIN PLAIN THREADS FAST FAST_NOT)
    list(JOIN BERTH_TIER_${tier} "|" pattern)
    set(in_${tier} FALSE)
    if(name MATCHES "${pattern}")
      set(in_${tier} TRUE)
    endif()
  endforeach()
  if("unit" IN_LIST labels AND NOT in_LONG)
    set(in_FAST TRUE)
  endif()
  if(in_FAST AND NOT in_FAST_NOT)
    list(APPEND labels fast)
  endif()
  foreach(tier LONG CI LATE AGAIN PLAIN THREADS)
    if(in_${tier})
      string(TOLOWER ${tier} label)
      list(APPEND labels ${label})
    endif()
  endforeach()
  set(${out} "${labels}" PARENT_SCOPE)
endfunction()
