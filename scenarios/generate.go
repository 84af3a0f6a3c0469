package scenarios

//go:generate go run ../internal/scenarios/generate
