#!/usr/bin/env bash
# The summary of JUnit files written by ctest: counts, reasons of skips, the slowest tests first.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/build" "$work/asan"

cat >"$work/build/tests.xml" <<'END'
<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="Linux-c++" tests="4" failures="1" disabled="0" skipped="2">
	<testcase name="quick" classname="quick" time="0.25" status="run">
		<properties/>
		<system-out></system-out>
	</testcase>
	<testcase name="broken" classname="broken" time="12.5" status="fail">
		<failure message=""/>
		<system-out>this is wrong</system-out>
	</testcase>
	<testcase name="absent" classname="absent" time="0" status="notrun">
		<skipped message="SKIP_RETURN_CODE=77"/>
		<system-out>first line
go: skipped: Go is not installed &amp; &quot;nowhere&quot;; to run it: apt
</system-out>
	</testcase>
	<testcase name="silent" classname="silent" time="0" status="notrun">
		<skipped message="SKIP_RETURN_CODE=77"/>
		<system-out></system-out>
	</testcase>
</testsuite>
END
cat >"$work/asan/tests.xml" <<'END'
<testsuite name="Linux-c++" tests="1">
	<testcase name="quick" classname="quick" time="3.75" status="run">
		<system-out>skipped: one case of many</system-out>
	</testcase>
</testsuite>
END
diff - <(./summary --slowest 2 "$work/build/tests.xml" "$work/asan/tests.xml") <<'END'
slowest tests, seconds:
    12.5  broken
     3.8  asan/quick
skipped absent: Go is not installed & "nowhere"; to run it: apt
skipped silent: no reason given
FAILED broken
tests: 2 passed, 1 failed, 2 skipped
END
code=0
./summary >/dev/null 2>&1 || code=$?
((code == 2))
