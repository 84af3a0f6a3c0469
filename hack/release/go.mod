module github.com/cosi-emu/cosi-emu/hack/release

go 1.26.0

require github.com/google/go-containerregistry v0.20.6 // indirect
