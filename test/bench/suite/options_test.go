package suite

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/cosi-emu/cosi-emu/test/bench/scale"
	"github.com/cosi-emu/cosi-emu/test/bench/storage"
)

func TestOptions(t *testing.T) {
	t.Parallel()
	good := Options{
		Suites: []string{Scale}, Starts: 1, Claims: 1, LoadedClaims: 1, Lifecycles: 1, Window: time.Second,
		Scale: scale.Load{Pairs: 1, Many: 1, Rounds: 1, Most: 1}, S3: storage.Load{Objects: 1, Requests: 1, Rounds: 1},
	}
	cases := map[string]struct {
		reason string
		change func(*Options)
	}{
		"Nothing": {"no suite has no figures", func(o *Options) { o.Suites = nil }},
		"Unknown": {"an unknown suite has no figures", func(o *Options) { o.Suites = []string{Starts, "speed"} }},
		"Pairs":   {"no objects are always ready", func(o *Options) { o.Scale.Pairs = 0 }},
		"Many":    {"nothing is there to be slow", func(o *Options) { o.Scale.Many = -5 }},
		"Rounds":  {"no round has no median", func(o *Options) { o.Scale.Rounds = 0 }},
		"Most":    {"none cost nothing", func(o *Options) { o.Scale.Most = 0 }},
		"Objects": {"an empty listing is quick", func(o *Options) { o.S3.Objects = 0 }},
		"Starts":  {"no start has no median", func(o *Options) { o.Starts = 0 }},
		"Cycles":  {"no lifecycle costs nothing", func(o *Options) { o.Lifecycles = 0 }},
		"Claims":  {"no claim has no median", func(o *Options) { o.Claims = -1 }},
		"Crowd":   {"an empty emulator is silent anyway", func(o *Options) { o.LoadedClaims = 0 }},
		"Peers":   {"no other suite uses them", func(o *Options) { o.Peers, o.PeerDuration = true, time.Second }},
		"NoLoad":  {"no load has no requests", func(o *Options) { o.Suites, o.Peers, o.PeerDuration = []string{S3}, true, 0 }},
		"Window":  {"there is always silence for no time", func(o *Options) { o.Window = 0 }},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			opts := good
			c.change(&opts)
			if _, err := Run(context.Background(), opts); !errors.Is(err, ErrOptions) {
				t.Errorf("%s: Run returns %v, not ErrOptions", c.reason, err)
			}
		})
	}
}
