module berth/tests/oracle

go 1.24
