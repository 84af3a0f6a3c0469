package ui_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/test/browser"
)

const narrow = 600

// TestUsable uses the page in a small window, in the dark, by keyboard and by its landmarks.
func TestUsable(t *testing.T) {
	s := start(t, emulator.Options{})
	b := open(t, s)
	claim := emulatortest.Claim(t, s.emu, namespace, "photos")
	emulatortest.Access(t, s.emu, claim, v1alpha2.BucketAccessModeReadWrite)
	shown(b, selector("BucketAccess", "demo/photos-readwrite", ".good"))
	shown(b, selector("BucketClaim", "demo/photos", ".good"))
	t.Run("keyboard", func(t *testing.T) { expectKeyboard(t, b.For(t)) })
	t.Run("landmarks", func(t *testing.T) { expectLandmarks(t, b.For(t)) })
	t.Run("dark", func(t *testing.T) { expectDark(t, b.For(t)) })
	t.Run("narrow", func(t *testing.T) {
		b := b.For(t)
		b.Size(narrow, 800)
		b.Click(selector("BucketClaim", "demo/photos", ""))
		b.AwaitText("#yaml", "kind: BucketClaim")
		b.Await(fmt.Sprintf("document.documentElement.scrollWidth <= %d", narrow))
		wide := b.Eval(`[...document.querySelectorAll('button, input, select, h2, #detail')].filter(e =>
			e.checkVisibility() && !e.closest('#graph, table, .chart') &&
			(e.getBoundingClientRect().right > innerWidth || e.getBoundingClientRect().left < 0)).map(e => e.id || e.textContent).join()`)
		if overlapping := b.Eval(overlaps); overlapping != "" {
			t.Errorf("these labels overlap in a window that is %d wide: %v", narrow, overlapping)
		}
		if wide != "" {
			t.Errorf("these are outside of a window that is %d wide: %v", narrow, wide)
		}
	})
}

// overlaps lists the pairs of visible labels that overlap by more than a pixel. Parts of the page that scroll, such as a high
// chart, hide labels.
const overlaps = `(() => {
	const visible = e => {
		let { left, right, top, bottom } = e.getBoundingClientRect();
		for (let around = e.parentElement; around; around = around.parentElement) {
			if (getComputedStyle(around).overflow === 'visible') continue;
			const clip = around.getBoundingClientRect();
			[left, right] = [Math.max(left, clip.left), Math.min(right, clip.right)];
			[top, bottom] = [Math.max(top, clip.top), Math.min(bottom, clip.bottom)];
		}
		return { left, right, top, bottom };
	};
	const labels = [...document.querySelectorAll('text, .node, button, label, h2, small, td, th')].filter(e =>
		e.checkVisibility() && e.textContent.trim() && !e.closest('#detail')).map(e => ({ e, r: visible(e) }));
	const pairs = [];
	for (const [i, a] of labels.entries()) for (const b of labels.slice(i + 1)) {
		if (a.e.contains(b.e) || b.e.contains(a.e)) continue;
		const width = Math.min(a.r.right, b.r.right) - Math.max(a.r.left, b.r.left);
		const height = Math.min(a.r.bottom, b.r.bottom) - Math.max(a.r.top, b.r.top);
		if (width > 1 && height > 1) pairs.push(a.e.textContent.trim() + ' and ' + b.e.textContent.trim());
	}
	return pairs.join('; ');
})()`

const focused = "(document.activeElement.dataset.name || document.activeElement.id)"

func expectKeyboard(t *testing.T, b *browser.Browser) {
	t.Helper()
	awaitFocus := func(on string) {
		t.Helper()
		b.Await(fmt.Sprintf("%s === %q", focused, on))
	}
	b.Press("/")
	awaitFocus("find")
	b.Press("Tab")
	b.Await("document.activeElement.closest('#graph')")
	b.Press("Tab") // from the graph to its object
	b.Await("document.activeElement.matches('.node')")
	b.Press("Home")
	b.Press("ArrowLeft")
	awaitFocus(emulator.ClassStandard)
	b.Press("ArrowRight")
	awaitFocus("demo/photos")
	b.Press("ArrowDown")
	awaitFocus("demo/photos-readwrite")
	b.Press("ArrowRight")
	awaitFocus("demo/photos-readwrite") // the Secret has its name
	b.Press("ArrowLeft")
	b.Press("Enter")
	b.AwaitText("#yaml", "kind: BucketAccess")
	const inDetails = "document.getElementById('detail').contains(document.activeElement)"
	b.Await(inDetails)
	b.Press("Tab") // to the first control of the details, and not to the rest of the page
	b.Await(inDetails + " && document.activeElement.id !== 'detail'")
	b.Press("Escape")
	b.Await("document.getElementById('detail').hidden")
	awaitFocus("demo/photos-readwrite")

	b.Press("p")
	b.Await("document.getElementById('pause').getAttribute('aria-pressed') === 'true'")
	b.Press("p")
	b.Await("document.getElementById('pause').getAttribute('aria-pressed') === 'false'")
	b.Press("p") // a live page redraws the marks repeatedly
	b.Await("document.querySelector('#chart a.mark[tabindex=\"0\"]')")
	b.Eval("document.querySelector('#chart a.mark[tabindex=\"0\"]').focus(), 0")
	first := b.Eval("document.activeElement.getAttribute('href')")
	b.Press("ArrowRight")
	b.Await(fmt.Sprintf("document.activeElement.matches('a.mark') && document.activeElement.getAttribute('href') !== %q", first))
	b.Press("Enter")
	b.AwaitText("#detail-title", "Event ")
	b.Press("Escape")
	b.Press("p")
}

// expectLandmarks expects the landmarks by which people with a screen reader navigate.
func expectLandmarks(t *testing.T, b *browser.Browser) {
	t.Helper()
	b.Click(selector("BucketClaim", "demo/photos", ""))
	shown(b, "#yaml")
	roles := []string{"banner", "main", "navigation", "region", "complementary", "form"}
	var got, unnamed []string
	tree := browser.Run(b, browser.Command(accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{}))
	for _, n := range tree.Nodes {
		if n.Ignored {
			continue
		}
		role, name := text(n.Role), text(n.Name)
		// A form without a name is no landmark.
		if slices.Contains(roles, role) && (role != "form" || name != "") {
			got = append(got, strings.TrimSpace(role+" "+name))
		}
		if name == "" && slices.Contains([]string{"button", "textbox", "searchbox", "combobox", "checkbox", "spinbutton", "link"}, role) {
			unnamed = append(unnamed, role)
		}
	}
	slices.Sort(got)
	want := []string{
		"banner", "complementary Details", "main", "navigation Parts of the page",
		"region Faults", "region Objects", "region Store", "region Timeline",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("landmarks: -want, +got:\n%s", diff)
	}
	if len(unnamed) > 0 {
		t.Errorf("these have no name for a screen reader: %v", unnamed)
	}
	b.Press("Escape")
}

func text(value *accessibility.Value) string {
	var text string
	if value != nil {
		_ = json.Unmarshal(value.Value, &text) // other values are no text
	}
	return text
}

// expectDark expects readable texts in both colour schemes: their contrast with the background
// meets WCAG.
func expectDark(t *testing.T, b *browser.Browser) {
	t.Helper()
	const contrast = `(selector => {
		const part = c => { c /= 255; return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; };
		const light = color => {
			const [r, g, b] = color.match(/[\d.]+/g).map(Number);
			return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
		};
		const clear = color => color === 'transparent' || / 0\)$|, 0\)$/.test(color);
		const behind = e => {
			while (e && clear(getComputedStyle(e).backgroundColor)) e = e.parentElement;
			return e ? getComputedStyle(e).backgroundColor : 'rgb(255, 255, 255)';
		};
		const e = document.querySelector(selector), pair = [light(getComputedStyle(e).color), light(behind(e))].sort((a, b) => b - a);
		return (pair[0] + 0.05) / (pair[1] + 0.05);
	})`
	for _, dark := range []bool{false, true} {
		b.Dark(dark)
		b.Await(fmt.Sprintf("matchMedia('(prefers-color-scheme: dark)').matches === %t", dark))
		b.Await("document.getAnimations().every(a => a.playState === 'finished')")
		for _, element := range []string{
			"body", "h1", "#pause", "#find", ".node.good", ".node.good small", ".node.backend",
			".key-list .awful", ".key-list .poor", ".key-list .unknown",
		} {
			if ratio, _ := b.Eval(contrast + fmt.Sprintf("(%q)", element)).(float64); ratio < 4.5 {
				t.Errorf("dark %t: the contrast of %s is %.1f, want 4.5", dark, element, ratio)
			}
		}
	}
	background := b.Eval("getComputedStyle(document.body).backgroundColor")
	b.Dark(false)
	b.Await(fmt.Sprintf("getComputedStyle(document.body).backgroundColor !== %q", background))
}
