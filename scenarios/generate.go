package scenarios

//go:generate go run ./generate
