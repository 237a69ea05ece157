module github.com/clarify-protocol/clarify-go/schema/check

go 1.26

require (
	github.com/clarify-protocol/clarify-go v0.1.0
	github.com/google/jsonschema-go v0.4.3
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3
	github.com/stretchr/testify v1.12.1
)

require (
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/text v0.14.0 // indirect
)

replace github.com/clarify-protocol/clarify-go => ../../
