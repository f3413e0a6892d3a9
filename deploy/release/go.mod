module github.com/scorelay/scorelay/deploy/release

go 1.26.0
