// Package browser drives a headless Chromium in tests.
package browser

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

const (
	// actionTimeout bounds the start and one action, and awaitTimeout the wait for a condition of a test.
	actionTimeout = time.Minute
	awaitTimeout  = time.Minute
	pollInterval  = 50 * time.Millisecond
)

// names are the names of Chromium.
var names = []string{"chromium", "chromium-browser", "google-chrome"}

// Browser is a running Chromium with one page, as a test uses it.
type Browser struct {
	*page

	tb testing.TB
}

type page struct {
	ctx context.Context //nolint:containedctx // chromedp keeps the page in it

	mu         sync.Mutex
	complaints []string
}

// Start starts a browser for a test, which is skipped where there is none, and with -short. It ends
// with the test.
func Start(tb testing.TB) *Browser {
	tb.Helper()
	if testing.Short() {
		tb.Skip("it starts a browser")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(find(tb)), chromedp.WindowSize(1280, 900), chromedp.WSURLReadTimeout(actionTimeout),
		chromedp.Flag("disable-component-update", true), // tests reach no other host
	)
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // it does not start as root otherwise
	}
	allocator, end := chromedp.NewExecAllocator(context.Background(), options...)
	tb.Cleanup(end)
	ctx, _ := chromedp.NewContext(allocator)
	p := &page{ctx: ctx}
	tb.Cleanup(func() { _ = chromedp.Cancel(ctx) }) // how it ends is of no interest
	if err := chromedp.Listen(ctx, p.listen); err != nil {
		tb.Fatalf("start the browser: %v", err)
	}
	return &Browser{p, tb}
}

func find(tb testing.TB) string {
	tb.Helper()
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	tb.Skipf("none of %s is in PATH: what the page does is not tested", strings.Join(names, ", "))
	return ""
}

// For returns the browser for a subtest, which fails instead of the test that started it.
func (b *Browser) For(tb testing.TB) *Browser {
	tb.Helper()
	return &Browser{b.page, tb}
}

// listen keeps errors that the page has not handled. A script handles the status of an answer, which
// the browser reports as well.
func (p *page) listen(event any) {
	var complaint string
	switch event := event.(type) {
	case *runtime.EventExceptionThrown:
		complaint = (&chromedp.ExceptionError{ExceptionDetails: event.ExceptionDetails}).Error()
	case *log.EventEntryAdded:
		if entry := event.Entry; entry.Level == log.EntryLevelError && !strings.Contains(entry.Text, "responded with a status of") {
			complaint = entry.Text + " " + entry.URL
		}
	}
	if complaint != "" {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.complaints = append(p.complaints, complaint)
	}
}

// Complaints returns the errors in the console since the last call: exceptions, and requests that
// the content security policy has blocked.
func (p *page) Complaints() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := p.complaints
	p.complaints = nil
	return all
}

// run runs an action on the page.
func run[T any](p *page, action chromedp.Action[T]) (T, error) {
	ctx, cancel := context.WithTimeout(p.ctx, actionTimeout)
	defer cancel()
	return chromedp.Run(ctx, action)
}

// Run runs an action on the page, and returns its result.
func Run[T any](b *Browser, action chromedp.Action[T]) T {
	b.tb.Helper()
	result, err := run(b.page, action)
	if err != nil {
		b.tb.Fatalf("browser: %v", err)
	}
	return result
}

// Command returns the action that sends a command of the DevTools protocol.
func Command[P, R any](command cdp.Command[P, R], params P) chromedp.Action[R] {
	return func(ctx context.Context, target *chromedp.Target) (R, error) {
		return cdp.Call(ctx, target, command, params)
	}
}

// Open opens an address.
func (b *Browser) Open(address string) {
	b.tb.Helper()
	Run(b, chromedp.Navigate(address))
}

// Eval returns the value of a JavaScript expression, which may be a promise.
func (b *Browser) Eval(expression string) any {
	b.tb.Helper()
	value, err := b.evaluate(expression)
	if err != nil {
		b.tb.Fatalf("%s: %v", expression, err)
	}
	return value
}

func (p *page) evaluate(expression string) (any, error) {
	return run(p, chromedp.Evaluate[any](expression, chromedp.EvalAwaitPromise, func(p *runtime.EvaluateParams) {
		p.UserGesture = new(true)
	}))
}

// Await waits until an expression is true.
func (b *Browser) Await(expression string) {
	b.tb.Helper()
	deadline := time.Now().Add(awaitTimeout)
	for {
		value, err := b.evaluate("Boolean(" + expression + ")")
		if err == nil && value == true {
			return
		}
		if time.Now().After(deadline) {
			text, _ := b.evaluate("document.body.innerText.slice(0, 4000)")
			b.tb.Fatalf("not true after %s: %s (%v)\nthe page shows:\n%v\nconsole: %v", awaitTimeout, expression, err, text, b.Complaints())
		}
		Run(b, chromedp.Sleep(pollInterval)) // which fails if the browser has ended
	}
}

// Text returns the text that the elements of a selector show.
func (b *Browser) Text(selector string) string {
	b.tb.Helper()
	text, _ := b.Eval(fmt.Sprintf("[...document.querySelectorAll(%q)].map(e => e.innerText).join('\\n')", selector)).(string)
	return text
}

// HTML returns the current document of the page.
func (b *Browser) HTML() string {
	b.tb.Helper()
	text, _ := b.Eval("document.documentElement.outerHTML").(string)
	return text
}

// AwaitText waits until the elements of a selector show a text.
func (b *Browser) AwaitText(selector, text string) {
	b.tb.Helper()
	b.Await(fmt.Sprintf("[...document.querySelectorAll(%q)].some(e => e.innerText.includes(%q))", selector, text))
}

// Click clicks on the first element of a selector.
func (b *Browser) Click(selector string) {
	b.tb.Helper()
	b.Await(fmt.Sprintf("document.querySelector(%q)", selector))
	b.Eval(fmt.Sprintf("document.querySelector(%q).dispatchEvent(new MouseEvent('click', {bubbles: true, cancelable: true})), 0", selector))
}

// Set gives an input, a selection or a text area a value.
func (b *Browser) Set(selector, value string) {
	b.tb.Helper()
	b.Eval(fmt.Sprintf(`(e => {
		e.value = %q;
		for (const name of ['input', 'change']) e.dispatchEvent(new Event(name, {bubbles: true}));
	})(document.querySelector(%q)), 0`, value, selector))
}

// Submit submits a form, as Enter in one of its fields does.
func (b *Browser) Submit(selector string) {
	b.tb.Helper()
	b.Eval(fmt.Sprintf("document.querySelector(%q).requestSubmit(), 0", selector))
}

// keys are the keys that have no character of their own.
var keys = map[string]string{
	"ArrowDown": kb.ArrowDown, "ArrowLeft": kb.ArrowLeft, "ArrowRight": kb.ArrowRight,
	"Enter": kb.Enter, "Escape": kb.Escape, "Home": kb.Home, "Tab": kb.Tab,
}

// Press presses a key, such as ArrowDown, Enter or p.
func (b *Browser) Press(key string) {
	b.tb.Helper()
	if named, ok := keys[key]; ok {
		key = named
	}
	Run(b, chromedp.KeyEvent(key))
}

// Size changes the size of the page, and Dark its colours.
func (b *Browser) Size(width, height int64) {
	b.tb.Helper()
	Run(b, chromedp.EmulateViewport(width, height))
}

// Dark has the page believe that the user prefers dark colours, or light ones.
func (b *Browser) Dark(dark bool) {
	b.tb.Helper()
	value := "light"
	if dark {
		value = "dark"
	}
	Run(b, Command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: value}},
	}))
}

// Screenshot returns a picture of the visible part of the page, as PNG.
func (b *Browser) Screenshot() []byte {
	b.tb.Helper()
	return Run(b, chromedp.CaptureScreenshot())
}
