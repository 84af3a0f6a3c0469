package timeline_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/report"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
	"github.com/cosi-emu/cosi-emu/test/browser"
)

func open(t *testing.T, page, fragment string) *browser.Browser {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	b := browser.Start(t)
	b.Open("file://" + file + fragment)
	return b
}

// browse opens a page in a browser, and returns the resulting document.
func browse(t *testing.T, page, fragment string) *html.Node {
	t.Helper()
	b := open(t, page, fragment)
	root := parse(t, b.HTML(), true)
	expectNoComplaints(t, b)
	return root
}

func expectNoComplaints(t *testing.T, b *browser.Browser) {
	t.Helper()
	if said := b.Complaints(); len(said) > 0 {
		t.Errorf("the script, or the policy, complains:\n%s", strings.Join(said, "\n"))
	}
}

func TestBrowser(t *testing.T) {
	root := browse(t, write(t, fixture()), "")
	var laidOut []string
	for n := range find(root) {
		if n.Data == "section" && count(n, "view") > 0 {
			laidOut = append(laidOut, attribute(n, "id"))
		}
	}
	if diff := cmp.Diff([]string{"s2"}, laidOut); diff != "" {
		t.Errorf("only the first failed scenario is laid out; -want, +got:\n%s", diff)
	}
	shown, want := byID(root, "s2"), len(lifecycle().Events)+len(lifecycle().Steps)
	if marks, rows := count(shown, "mark"), count(shown, "row"); marks != want || rows != want {
		t.Errorf("there are %d marks and %d rows, want %d of each", marks, rows, want)
	}
}

func TestBrowserFollowsAddress(t *testing.T) {
	root := browse(t, write(t, fixture()), "#s1-e12")
	for n := range find(byID(root, "s1"), "row", "chosen") {
		if byID(n, "s1-e12") == nil {
			t.Error("another event is chosen than that of the address")
		}
		return
	}
	t.Error("no event is chosen, and the address names one")
}

// probe uses the page, and returns what it finds.
const probe = `(() => {
  const shown = selector => [...document.querySelectorAll(selector)].filter(e => e.checkVisibility()).length;
  const type = (id, text) => { id.value = text; id.dispatchEvent(new Event('input', { bubbles: true })); };
  const press = (target, key) => target.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
  const section = document.querySelector('section.current');
  const seen = { readsAtFirst: shown('.mark.read, .row.read') };
  section.querySelector('.copy').click();
  section.querySelector('.on-read').click();
  seen.readsThen = shown('.mark.read, .row.read');
  const mark = section.querySelector('.mark.write');
  mark.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }));
  seen.opened = document.getElementById('detail-row').textContent.includes('WaitingForDriver');
  seen.address = location.hash;
  mark.focus(); press(mark, 'ArrowRight');
  seen.arrow = document.activeElement.getAttribute('href');
  press(document.activeElement, 'Escape');
  seen.closed = document.getElementById('detail').hidden;
  type(section.querySelector('.grep'), 'disk full');
  seen.found = shown('section.current .row');
  type(document.getElementById('find'), 'fine');
  seen.listed = shown('#list li');
  type(document.getElementById('find'), '');
  document.getElementById('show-passed').click();
  seen.withoutPassed = shown('#list li');
  press(document.body, 'j');
  seen.outside = performance.getEntriesByType('resource').length;
  return seen;
})()`

func TestBrowserUsed(t *testing.T) {
	b := open(t, write(t, fixture()), "")
	got := b.Eval(probe)
	b.Await("document.querySelector('section.current').id === 's3'")
	b.Await("/Copied|Selected/.test(document.querySelector('#s2 .copy').textContent)")
	expectNoComplaints(t, b)
	want := map[string]any{
		"readsAtFirst": 0.0, "readsThen": 2.0, "opened": true, "address": "#s2-e13", "arrow": "#s2-e14", "closed": true,
		"found": 1.0, "listed": 1.0, "withoutPassed": 2.0, "outside": 0.0,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

func TestBrowserFollowsName(t *testing.T) {
	root := browse(t, write(t, fixture()), "#name=elsewhere")
	for n := range find(root, "current") {
		if id := attribute(n, "id"); id != "s3" {
			t.Errorf("section %s is shown, want s3", id)
		}
		return
	}
	t.Error("no section is shown")
}

// overlaps lists the overlapping labels of the picture.
const overlaps = `(() => {
  const found = [];
  for (const svg of document.querySelectorAll('section.current .chart > svg, section.current .plot')) {
    const texts = [...svg.querySelectorAll('text')].map(e => [e.firstChild.textContent, e.getBoundingClientRect()]);
    texts.forEach(([a, p], i) => texts.slice(i + 1).forEach(([b, q]) => {
      if (Math.min(p.right, q.right) - Math.max(p.left, q.left) > 1 &&
        Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top) > 4) found.push(a + ' | ' + b);
    }));
  }
  return found;
})()`

func TestBrowserLabelsDoNotOverlap(t *testing.T) {
	s := lifecycle()
	r := &recorder{}
	for i := range 60 { // more than fit
		r.cross(float64(100+i%7), float64(1+(i*13)%40), vocabulary.Sidecar, journal.SeamRPC, "DriverGrantBucketAccess", "Unavailable")
		r.life(float64(100+i), vocabulary.Driver, i, "start")
	}
	s.Events = append(s.Events, r.events...)
	for i := range s.Events {
		s.Events[i].Seq = uint64(i) + 11
	}
	b := open(t, write(t, report.New("v", start, s.Duration, []report.Scenario{s})), "")
	if diff := cmp.Diff([]any{}, b.Eval(overlaps)); diff != "" {
		t.Errorf("labels overlap; -want, +got:\n%s", diff)
	}
	expectNoComplaints(t, b)
}

func TestBrowserHostile(t *testing.T) {
	for _, text := range []string{hostile[0], hostile[1]} {
		harmless(t, browse(t, write(t, poisoned(text)), "#s4"))
	}
}
