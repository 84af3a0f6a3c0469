package scenarios

//go:generate go run ../internal/scenario/generate
