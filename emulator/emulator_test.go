package emulator_test

import (
	"testing"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator"
)

type rep struct{ t *testing.T }

func (r rep) PhaseStarted(p string)                                 {}
func (r rep) PhaseProgress(p, d string)                             { r.t.Log(p, d) }
func (r rep) PhaseEnded(p string, elapsed time.Duration, err error) { r.t.Log(p, elapsed, err) }

func TestSmoke(t *testing.T) {
	begin := time.Now()
	e, err := emulator.Start(t.Context(), emulator.Options{Reporter: rep{t}})
	if err != nil {
		t.Fatalf("%v", err)
	}
	t.Log("up", time.Since(begin))
	begin = time.Now()
	t.Log(e.Stop(t.Context()), time.Since(begin))
}

func TestJ(t *testing.T) {
	e, err := emulator.Start(t.Context(), emulator.Options{Reporter: rep{t}})
	if err != nil {
		t.Fatalf("%v", err)
	}
	for _, ev := range e.Journal().Since(0) {
		t.Log(ev)
	}
	t.Log(e.Stop(t.Context()))
}
