module hash

go 1.24
