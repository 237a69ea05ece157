module github.com/clarify-protocol/clarify-go

go 1.26
