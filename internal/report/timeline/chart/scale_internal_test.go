package chart

import (
	"testing"
	"time"
)

func TestScale(t *testing.T) {
	const ms = time.Millisecond
	busy := func(moments ...time.Duration) []gap {
		var all []gap
		for i, at := range moments[1:] {
			all = append(all, gap{moments[i], at, true})
		}
		return all
	}
	tests := map[string]struct {
		reason string
		gaps   []gap
		cuts   int
		at     time.Duration
		least  float64 // the place
		most   float64
	}{
		"Nothing": {reason: "There is an axis even so.", at: 0, least: 0, most: 0.1},
		"Linear":  {reason: "The middle is in the middle.", gaps: busy(0, 10*ms, 20*ms, 30*ms, 40*ms), at: 20 * ms, least: 0.45, most: 0.5},
		"Before":  {reason: "What was before is at the edge.", gaps: busy(0, 10*ms), at: -time.Second, least: 0, most: 0.01},
		"After":   {reason: "So is what was after.", gaps: busy(0, 10*ms), at: time.Hour, least: 0.9, most: 1},
		"Idle": {
			reason: "Waiting takes little room.",
			gaps:   append(busy(0, 25*ms, 50*ms, 75*ms, 100*ms), gap{100 * ms, 10 * time.Second, false}),
			cuts:   1, at: 100 * ms, least: 0.7, most: 0.9,
		},
		"StillLater": {
			reason: "But it takes some.",
			gaps:   append(busy(0, 25*ms, 50*ms, 75*ms, 100*ms), gap{100 * ms, 10 * time.Second, false}),
			cuts:   1, at: time.Hour, least: 0.93, most: 0.95,
		},
		"Hangs": {
			reason: "A call that hangs is cut short, later.",
			gaps:   append(busy(0, 25*ms, 50*ms, 75*ms, 100*ms), gap{100 * ms, 10 * time.Second, true}),
			cuts:   1, at: 100 * ms, least: 0.4, most: 0.7,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := newScale(tc.gaps)
			if len(s.gaps) != tc.cuts {
				t.Errorf("%s %d cuts, want %d", tc.reason, len(s.gaps), tc.cuts)
			}
			if got := s.at(tc.at); got < tc.least || got > tc.most {
				t.Errorf("%s %s is at %.3f, want between %.2f and %.2f", tc.reason, tc.at, got, tc.least, tc.most)
			}
		})
	}
}

func TestScaleKeepsOrder(t *testing.T) {
	var all []gap
	at := time.Duration(0)
	for i := range 200 {
		next := at + time.Duration(i*i)*100*time.Microsecond + 1
		all = append(all, gap{at, next, i%2 == 0})
		at = next
	}
	s := newScale(all)
	for _, g := range all {
		if from, to := s.at(g.from), s.at(g.to); from >= to || from < 0 || to > 1 {
			t.Fatalf("%s to %s is drawn from %f to %f", g.from, g.to, from, to)
		}
	}
	last := -1.0
	for at := time.Duration(0); at < all[len(all)-1].to; at += 10 * time.Millisecond {
		if x := s.at(at); x <= last {
			t.Fatalf("%s is at %f, not after what was before it", at, x)
		} else {
			last = x
		}
	}
}

func TestTicks(t *testing.T) {
	tests := map[string]time.Duration{"Short": 40 * time.Microsecond, "Usual": 700 * time.Millisecond, "Long": 3 * time.Hour}
	for name, length := range tests {
		t.Run(name, func(t *testing.T) {
			var all []gap
			for i := range 50 {
				all = append(all, gap{time.Duration(i) * length / 50, time.Duration(i+1) * length / 50, true})
			}
			if n := len(newScale(all).ticks()); n < 4 || n > 14 {
				t.Errorf("there are %d ticks, want some that do not touch each other", n)
			}
		})
	}
}
