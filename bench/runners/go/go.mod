module pfh-bench-runner

go 1.24
