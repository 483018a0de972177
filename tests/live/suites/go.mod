module berth/tests/live/suites

go 1.24
