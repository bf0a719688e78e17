module github.com/rnixfs/rnixfs

go 1.26
