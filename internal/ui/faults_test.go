package ui_test

import (
	"fmt"
	"testing"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/test/browser"
)

const faultsTable = "#fault-list tr"

func clickButton(b *browser.Browser, in, text string) {
	find := fmt.Sprintf("[...document.querySelectorAll('%s button')].find(e => e.textContent === %q)", in, text)
	b.Await(find)
	b.Eval(find + ".click(), 0")
}

// TestFaults clicks on an event, fails the next operation of its kind, and sees the hits.
func TestFaults(t *testing.T) {
	s := start(t, emulator.Options{})
	b := open(t, s)
	emulatortest.Claim(t, s.emu, namespace, "first")

	create := "[...document.querySelectorAll('#chart a.mark.call')]" +
		".find(e => e.querySelector('title').textContent.includes('DriverCreateBucket'))"
	b.Await(create)
	b.Eval(create + ".dispatchEvent(new MouseEvent('click', {bubbles: true, cancelable: true})), 0")
	clickButton(b, "#detail-body", "Fail the next of these")
	form := b.Eval("['seam', 'operation', 'effect', 'value', 'nth'].map(name => document.getElementById('f-' + name).value).join()")
	if form != "rpc,DriverCreateBucket,fail,Unavailable,1" {
		t.Errorf("the form has %v", form)
	}
	b.Submit("#add")
	b.AwaitText("#fault-answer", "added page-1")
	b.AwaitText(faultsTable, "page-1")
	b.Submit("#add")
	b.AwaitText("#fault-answer.bad", "page-1")

	emulatortest.Claim(t, s.emu, namespace, "second") // it is retried
	b.Await("document.querySelector('#fault-list tr td:nth-child(5)').textContent === '1'")
	shown(b, "#chart .mark.faulty")
	clickButton(b, "#fault-list", "remove")
	b.AwaitText("#fault-answer", "removed page-1")
	gone(b, faultsTable)

	// A fault of another process is shown as well.
	if err := s.emu.Faults().Add(aFault("by-command")); err != nil {
		t.Fatal(err)
	}
	b.AwaitText(faultsTable, "by-command")

	// Invalid faults are rejected.
	b.Set("#f-name", "wrong")
	b.Set("#f-value", "NoSuchCode")
	b.Submit("#add")
	b.AwaitText("#fault-answer.bad", "NoSuchCode")
}

func TestComponents(t *testing.T) {
	s := start(t, emulator.Options{})
	b := open(t, s)
	state := func(component, column int) string {
		return fmt.Sprintf("document.querySelectorAll('#components tr')[%d].children[%d].textContent", component, column)
	}
	sidecar := -1
	b.Await("document.querySelectorAll('#components tr').length > 3")
	for i, c := range s.emu.Info().Components {
		if c.Name == emulator.ComponentSidecar {
			sidecar = i
		}
	}
	for _, c := range []struct{ verb, state, incarnation string }{
		{"crash", "Running", "2"}, {"restart", "Running", "3"}, {"stop", "Stopped", ""}, {"start", "Running", "4"},
	} {
		b.Click(fmt.Sprintf("button[aria-label='%s %s']", c.verb, emulator.ComponentSidecar))
		b.AwaitText("#fault-answer", c.verb+" sidecar: done")
		b.Await(fmt.Sprintf("%s === %q", state(sidecar, 1), c.state))
		if c.incarnation != "" {
			b.Await(fmt.Sprintf("%s === %q", state(sidecar, 2), c.incarnation))
			continue
		}
		shown(b, selector("driver", s.emu.Info().DriverName, ".awful"))
	}
	shown(b, selector("driver", s.emu.Info().DriverName, ".good"))
	emulatortest.Claim(t, s.emu, namespace, "after")
}
