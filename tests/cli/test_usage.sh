#!/usr/bin/env bash
# Help, version, and wrong command lines.
# shellcheck source=tests/cli/cases.sh
. ./cases.sh

check usage_help 0 "$berth" --help
check usage_none 2 "$berth"
check usage_unknown_command 2 "$berth" place
check usage_unknown_option 2 "$berth" --verbose
for command in schedule explain capacity top compare grow report drain dump generate import verify replay bench \
  completion manual; do
  check "usage_help_$command" 0 "$berth" $command --help
  check "usage_option_$command" 2 "$berth" $command --no-such-option
done
for command in completion manual; do
  "$berth" help $command >"$work/help" || fail "help $command"
  same "help $command" expected/usage_help_$command.out "$work/help"
done
# The engine's options come last, and examples before any option.
"$berth" schedule --help | sed -n 's/^\([A-Z].*\):$/\1/p' >"$work/parts"
printf '%s\n' Examples Options 'Options of the input' 'Options of every command' 'Options of the engine' |
  diff - "$work/parts" || fail "parts of help"
# Both sides of a limit.
run 0 "$berth" bench --workload basic --nodes 10 --pods 10 --threads 1024 --json
complains usage_threads 2 "--threads is 1025, which is not between 0 and 1024" \
  "$berth" bench --workload basic --nodes 10 --pods 10 --threads 1025
# An option whose texts are joined has all of them, whole.
complains usage_joined 3 'has no feature gate "NoSuchGate"' "$berth" bench --workload basic --nodes 10 --pods 10 \
  --kubernetes 1.36 --feature-gates SchedulerQueueingHints=true --feature-gates NoSuchGate=true
check usage_short_help 0 "$berth" import -h

"$berth" --version >"$work/version" || fail version
grep -qxE 'berth [0-9]+\.[0-9]+\.[0-9]+' "$work/version" || fail "version: $(cat "$work/version")"
# Each release to which the oracle is pinned is listed.
while read -r release; do
  grep -qE "(^| )${release//./\\.}(,| |$)" "$work/version" || fail "version: $release is not named"
done < <(sed -n 's/.*k8s.io\/kubernetes v//p' ../oracle/versions/*.mod)

complains schedule_no_input 2 "no input" "$berth" schedule
complains schedule_two_inputs 2 "exclude each other" "$berth" schedule --synthetic nodes=1 -f a
complains schedule_stdin_twice 2 "only once" "$berth" schedule -f - -
complains schedule_bad_spec 2 "'nodes=none'" "$berth" schedule --synthetic pods=1,nodes=none
complains schedule_bad_workload 2 "'workload=none'" "$berth" schedule --synthetic workload=none
complains schedule_bad_choice 2 "none of: first, random, kubernetes" "$berth" schedule -f a --tie last
complains schedule_bad_output 2 "none of: table, json, yaml" "$berth" schedule -f a -o xml
complains schedule_negative 2 "a whole number, not '-5'" "$berth" schedule -f a --percentage -5
complains schedule_no_value 2 "--config needs a value" "$berth" schedule -f a --config
complains schedule_short_no_value 2 "-f needs a value" "$berth" schedule -f
complains schedule_flag_value 2 "--summary takes no value" "$berth" schedule --summary=yes
complains schedule_unknown_letter 2 "unknown option '-z'" "$berth" schedule -z
complains generate_range 2 "not between 1 and" "$berth" generate --nodes 0
complains generate_overflow 2 "a whole number" "$berth" generate --pods 99999999999999999999
complains generate_operand 2 "unexpected argument 'x'" "$berth" generate x
complains generate_workload 2 "none of: ordinary," "$berth" generate --workload none
complains import_none 2 "no trace named" "$berth" import
complains import_unknown 2 "unknown trace 'borg'" "$berth" import borg a b
complains import_files 2 "takes two files" "$berth" import openb a
complains verify_none 2 "no file named" "$berth" verify
complains bench_workload 2 "none of: ordinary," "$berth" bench --workload none
complains bench_path 2 "none of: auto, scan, index" "$berth" bench --path guess
complains bench_operand 2 "unexpected argument 'x'" "$berth" bench -- x
finish
