module berth/tests/live/kubernetes

go 1.24
