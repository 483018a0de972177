module berth/tests/live

go 1.24
