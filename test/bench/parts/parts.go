// Package parts tells which part of the emulator a profile is about.
package parts

import (
	"strings"

	"github.com/google/pprof/profile"
)

// Names of the parts, in the order of a table.
const (
	Server     = "API server"
	Client     = "clients and caches"
	Components = "controller, sidecar and bridge"
	Driver     = "driver and store"
	Seams      = "seams and journal"
	Oracles    = "oracles"
	Engine     = "engine and exploration"
	Collection = "garbage collection"
	Other      = "other"
)

// All returns the names.
func All() []string {
	return []string{Server, Client, Components, Driver, Seams, Oracles, Engine, Collection, Other}
}

const project = "github.com/cosi-emu/cosi-emu/"

// prefixes of functions decide, from the innermost call on. A longer one comes before a shorter.
var prefixes = []struct{ prefix, part string }{
	{"runtime.gcBgMarkWorker", Collection},
	{"runtime.bgsweep", Collection},
	{"runtime.bgscavenge", Collection},
	{"runtime.gcAssistAlloc", Collection},
	{project + "internal/controlplane/", Server},
	{"k8s.io/apiserver/", Server},
	{"k8s.io/apiextensions-apiserver/pkg/apiserver", Server},
	{"k8s.io/apiextensions-apiserver/pkg/registry", Server},
	{"k8s.io/client-go/", Client},
	{"sigs.k8s.io/controller-runtime/pkg/client", Client},
	{"sigs.k8s.io/controller-runtime/pkg/cache", Client},
	{project + "controller", Components},
	{project + "sidecar", Components},
	{project + "bridge", Components},
	{project + "internal/controller/", Components},
	{project + "internal/sidecar/", Components},
	{project + "internal/reconcile", Components},
	{"sigs.k8s.io/controller-runtime/", Components},
	{project + "fakedriver", Driver},
	{project + "internal/driverserver", Driver},
	{project + "internal/store", Driver},
	{project + "internal/dataplane/", Driver},
	{"google.golang.org/grpc", Driver},
	{project + "internal/seam", Seams},
	{project + "emulator/journal", Seams},
	{project + "emulator/fault", Seams},
	{project + "proto/redact", Seams},
	{project + "internal/oracle", Oracles},
	{project + "internal/explore", Engine},
	{project + "internal/scenario/", Engine},
	{project + "internal/hub", Engine},
	{project + "emulator", Engine},
}

// Of returns the sum of a kind of value in the samples of each part.
func Of(p *profile.Profile, value string) map[string]int64 {
	index := 0
	for i, t := range p.SampleType {
		if t.Type == value {
			index = i
		}
	}
	sums := map[string]int64{}
	for _, s := range p.Sample {
		sums[partOf(s)] += s.Value[index]
	}
	return sums
}

// partOf returns the part of the innermost call that has one.
func partOf(s *profile.Sample) string {
	for _, location := range s.Location {
		for _, line := range location.Line {
			for _, p := range prefixes {
				if line.Function != nil && strings.HasPrefix(line.Function.Name, p.prefix) {
					return p.part
				}
			}
		}
	}
	return Other
}
