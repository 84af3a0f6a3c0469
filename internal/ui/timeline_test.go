package ui_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/test/browser"
)

// latest is the number of the last event in the window of the timeline, and earliest of the first.
const (
	latest   = "Number((document.getElementById('span').textContent.match(/to (\\d+)/) || [])[1])"
	earliest = "Number((document.getElementById('span').textContent.match(/events (\\d+)/) || [])[1])"
)

// record records store operations like a busy application.
func (s *stage) record(n int) (last uint64) {
	for i := range n {
		last = s.emu.Journal().Append(journal.Event{
			Component: emulator.ComponentStore, Seam: journal.SeamStore, Outcome: journal.OutcomeOK,
			Operation: journal.Operation{Name: "PutObject", Subject: fmt.Sprintf("busy/%d", i)},
		}).Seq
	}
	return last
}

func TestTimeline(t *testing.T) {
	s := start(t, emulator.Options{})
	b := open(t, s)
	claim := emulatortest.Claim(t, s.emu, namespace, "photos")
	emulatortest.Access(t, s.emu, claim, v1alpha2.BucketAccessModeReadWrite)
	emulatortest.Claim(t, s.emu, namespace, "music")
	for _, lane := range []string{"user", "controller", "sidecar", "driver", "store", "kube-apiserver"} {
		b.Await(fmt.Sprintf("[...document.querySelectorAll('#chart .lane-name title')].some(e => e.textContent === %q)", lane))
	}
	t.Run("live", func(t *testing.T) {
		b := b.For(t)
		b.Await(fmt.Sprintf("%s >= %d", latest, s.record(10)))
	})
	t.Run("action without an event", func(t *testing.T) { expectAction(b.For(t)) })
	t.Run("event", func(t *testing.T) {
		b := b.For(t)
		b.Click("#chart a.mark.call")
		b.AwaitText("#detail-title", "Event ")
		b.AwaitText("#detail-body button", "Fail the next of these")
		b.AwaitText("#detail-body", "Driver")
		b.Press("Escape")
	})
	t.Run("one object", func(t *testing.T) { expectOneObject(b.For(t)) })
	t.Run("pause and scroll", func(t *testing.T) { expectScrolls(t, s, b.For(t)) })
	t.Run("outage", func(t *testing.T) {
		b := b.For(t)
		if err := s.emu.Component("kube-apiserver").Crash(); err != nil {
			t.Fatal(err)
		}
		shown(b, "#chart rect[fill^='url(']")
		if err := s.emu.Component("kube-apiserver").Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := s.emu.Client().Create(t.Context(), claimOf("after")); err != nil {
			t.Fatal(err)
		}
		shown(b, selector("BucketClaim", "demo/after", "")) // the page watches again
	})
}

// expectAction adds a fault that nothing matches, which is a step of the user.
func expectAction(b *browser.Browser) {
	b.Set("#f-name", "unmatched")
	b.Set("#f-subject", "nothing")
	b.Submit("#add")
	b.AwaitText("#fault-answer", "added unmatched")
	b.Await("[...document.querySelectorAll('#chart .mark.step')].some(e => e.textContent.includes('inject unmatched'))")
}

// expectOneObject shows one object in the timeline, and all again.
func expectOneObject(b *browser.Browser) {
	b.Click(selector("BucketClaim", "demo/photos", ""))
	b.AwaitText("#detail-body button", "Show only it in the timeline")
	b.Eval("[...document.querySelectorAll('#detail-body button')].find(e => e.textContent.startsWith('Show only')).click(), 0")
	b.AwaitText("#about", "BucketClaim/demo/photos")
	b.Await("document.querySelector('#chart a.mark') && !document.querySelector('#chart').textContent.includes('music')")
	b.Click("#about")
	b.Await("document.querySelector('#chart').textContent.includes('music')")
	b.Press("Escape")
}

// expectScrolls pauses the timeline, and goes back and forth in it.
func expectScrolls(t *testing.T, s *stage, b *browser.Browser) {
	t.Helper()
	last := s.record(500)
	b.Await(fmt.Sprintf("%s >= %d", latest, last))
	b.Click("#pause")
	b.Await("document.getElementById('pause').getAttribute('aria-pressed') === 'true'")
	paused := b.Eval(latest)
	s.record(50)
	b.Click("#older")
	b.Await(fmt.Sprintf("%s < %v - 150", latest, paused))
	b.Click("#newer")
	b.Await(fmt.Sprintf("%s > %v - 150", latest, paused))
	for range 2 {
		b.Await("!document.getElementById('older').disabled")
		before := b.Eval(earliest)
		b.Click("#older")
		b.Await(fmt.Sprintf("%s < %v", earliest, before))
	}
	b.Click("#pause")
	b.Await(fmt.Sprintf("%s >= %d && document.getElementById('span').textContent.includes('live')", latest, s.record(1)))
	b.Click("input[value=store]")
	b.Await("!document.querySelector('#chart a.mark.store')")
	b.Click("input[value=store]")
	b.Await("document.querySelector('#chart a.mark.store')")
	if marks, _ := b.Eval("document.querySelectorAll('#chart a.mark').length").(float64); marks > 250 {
		t.Errorf("the timeline has %v marks", marks)
	}
	if strings.Contains(b.Text("#chart"), "undefined") {
		t.Error("the timeline has undefined texts")
	}
}
