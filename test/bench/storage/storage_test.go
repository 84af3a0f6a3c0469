package storage

import (
	"testing"

	"github.com/cosi-emu/cosi-emu/test/harness/leaks"
)

func TestMain(m *testing.M) { leaks.Main(m) }

// TestMeasure takes all measurements with a light load: the times mean nothing then, but the counts
// must be right, and nothing may be left running.
func TestMeasure(t *testing.T) {
	load := Load{Objects: 300, Requests: 20, Rounds: 1}
	steps := 0
	figures, err := Measure(t.Context(), load, func(string) { steps++ })
	if err != nil {
		t.Fatal(err)
	}
	const want = 14
	if len(figures) != want || steps < want {
		t.Errorf("there are %d figures after %d steps, want %d", len(figures), steps, want)
	}
	for _, f := range figures {
		if f.Value <= 0 || f.Bar <= 0 {
			t.Errorf("%s is %v, with the bar %v", f.Name, f.Value, f.Bar)
		}
	}
}
