#!/usr/bin/env bash
# Builds the programs of a cluster into the directory $1, with the versions of the modules beside this
# script, and the compiler flags of `cosi-emu setup`, whose packages they share in the build cache.
set -euo pipefail
cd "$(dirname "$0")"
out=$1
mkdir -p "$out"
export CGO_ENABLED=0 GOFLAGS='-mod=readonly -trimpath -buildvcs=false' GOWORK=off

go build -C containerd -tags no_btrfs,no_devmapper,no_zfs -ldflags '-s -w' -o "$out/" tool
go build -C dns -ldflags '-s -w' -o "$out/dns" .

# Kubernetes reads its version from the linker.
version=$(go list -C kubernetes -m -f '{{.Version}}' k8s.io/kubernetes)
minor=${version#v1.}
flags='-s -w'
for package in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
	flags+=" -X $package.gitVersion=$version -X $package.gitMajor=1 -X $package.gitMinor=${minor%%.*} -X $package.gitTreeState=archive"
done
go build -C kubernetes -ldflags "$flags" -o "$out/" tool
