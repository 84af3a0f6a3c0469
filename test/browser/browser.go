// Package browser drives a headless Chromium in tests, over the pipe of its DevTools protocol. It
// needs no other package.
package browser

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	// callTimeout bounds one command, and awaitTimeout the wait for a condition of a test.
	callTimeout  = time.Minute
	awaitTimeout = time.Minute
	pollInterval = 50 * time.Millisecond
	// exitTimeout is how long the browser has to end.
	exitTimeout = 10 * time.Second
)

// names are the names of Chromium.
var names = []string{"chromium", "chromium-browser", "google-chrome"}

// Browser is a running Chromium with one page, as a test uses it.
type Browser struct {
	*connection

	tb testing.TB
}

// connection is that to the browser.
type connection struct {
	write   *os.File
	session string
	closed  chan struct{}

	mu       sync.Mutex
	last     int
	waiting  map[int]chan reply
	complain []string
}

// reply is a message of the browser: the answer to a command, or an event.
type reply struct {
	ID     int             `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// isComplaint reports whether a message is an error that the page has not handled. A script handles the
// status of an answer, which the browser reports as well.
func (r reply) isComplaint() bool {
	params := string(r.Params)
	return r.Method == "Runtime.exceptionThrown" ||
		r.Method == "Log.entryAdded" && strings.Contains(params, `"level":"error"`) && !strings.Contains(params, "responded with a status of")
}

// Start starts a browser for a test, which is skipped where there is none, and with -short. It ends
// with the test.
func Start(tb testing.TB) *Browser {
	tb.Helper()
	if testing.Short() {
		tb.Skip("it starts a browser")
	}
	program := ""
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			program = path
			break
		}
	}
	if program == "" {
		tb.Skipf("none of %s is in PATH: what the page does is not tested", strings.Join(names, ", "))
	}
	b := &Browser{&connection{waiting: map[int]chan reply{}, closed: make(chan struct{})}, tb}
	b.start(program)
	target := b.Call("Target.createTarget", map[string]any{"url": "about:blank"})
	attached := b.Call("Target.attachToTarget", map[string]any{"targetId": target["targetId"], "flatten": true})
	b.session, _ = attached["sessionId"].(string)
	for _, domain := range []string{"Page", "Runtime", "Log", "Network"} {
		b.Call(domain+".enable", nil)
	}
	return b
}

// For returns the browser for a subtest, which fails instead of the test that started it.
func (b *Browser) For(tb testing.TB) *Browser {
	tb.Helper()
	return &Browser{b.connection, tb}
}

func (b *Browser) start(program string) {
	b.tb.Helper()
	profile, err := os.MkdirTemp("", "browser-") // a browser that ends may still write to it
	if err != nil {
		b.tb.Fatal(err)
	}
	theirIn, ours, err := os.Pipe()
	if err != nil {
		b.tb.Fatal(err)
	}
	read, theirOut, err := os.Pipe()
	if err != nil {
		b.tb.Fatal(err)
	}
	args := []string{
		"--headless=new", "--remote-debugging-pipe", "--disable-gpu", "--no-first-run", "--disable-extensions",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", // tests reach no other host
		"--user-data-dir=" + profile, "--window-size=1280,900", "about:blank",
	}
	if os.Geteuid() == 0 {
		args = append([]string{"--no-sandbox"}, args...) // it does not start as root otherwise
	}
	ctx, kill := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.ExtraFiles, cmd.WaitDelay = []*os.File{theirIn, theirOut}, exitTimeout // its descriptors 3 and 4
	if err := cmd.Start(); err != nil {
		kill()
		b.tb.Fatalf("start %s: %v", program, err)
	}
	_ = errors.Join(theirIn.Close(), theirOut.Close()) // the browser has its own
	b.write = ours
	go b.read(read)
	b.tb.Cleanup(func() {
		_ = ours.Close() // it ends the browser
		timer := time.AfterFunc(exitTimeout, kill)
		_ = cmd.Wait() // how it ends is of no interest
		timer.Stop()
		kill()
		<-b.closed
		_ = errors.Join(read.Close(), os.RemoveAll(profile))
	})
}

// read dispatches the messages of the browser, which end with a zero byte.
func (c *connection) read(from *os.File) {
	defer close(c.closed)
	in := bufio.NewReader(from)
	for {
		message, err := in.ReadBytes(0)
		if err != nil {
			return
		}
		var r reply
		if json.Unmarshal(message[:len(message)-1], &r) != nil {
			continue
		}
		c.mu.Lock()
		switch {
		case r.ID != 0:
			if waiting := c.waiting[r.ID]; waiting != nil {
				waiting <- r
				delete(c.waiting, r.ID)
			}
		case r.isComplaint():
			c.complain = append(c.complain, string(r.Params))
		}
		c.mu.Unlock()
	}
}

// Complaints returns the errors in the console since the last call: exceptions, and requests that
// the content security policy has blocked.
func (c *connection) Complaints() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := c.complain
	c.complain = nil
	return all
}

// Call sends a command of the protocol, and returns its result.
func (b *Browser) Call(method string, params map[string]any) map[string]any {
	b.tb.Helper()
	waiting, err := b.send(method, params)
	if err != nil {
		b.tb.Fatalf("%s: %v", method, err)
	}
	timer := time.NewTimer(callTimeout)
	defer timer.Stop()
	var result map[string]any
	select {
	case r := <-waiting:
		if r.Error != nil {
			b.tb.Fatalf("%s: %s", method, r.Error.Message)
		}
		if err := json.Unmarshal(r.Result, &result); err != nil {
			b.tb.Fatalf("%s: %v", method, err)
		}
	case <-b.closed:
		b.tb.Fatalf("%s: the browser has ended", method)
	case <-timer.C:
		b.tb.Fatalf("%s: no answer after %s", method, callTimeout)
	}
	return result
}

func (c *connection) send(method string, params map[string]any) (answer chan reply, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last++
	answer = make(chan reply, 1)
	c.waiting[c.last] = answer
	command := map[string]any{"id": c.last, "method": method}
	if params != nil {
		command["params"] = params
	}
	if c.session != "" {
		command["sessionId"] = c.session
	}
	text, err := json.Marshal(command)
	if err == nil {
		_, err = c.write.Write(append(text, 0))
	}
	return answer, err
}

// Open opens an address.
func (b *Browser) Open(address string) {
	b.tb.Helper()
	if result := b.Call("Page.navigate", map[string]any{"url": address}); result["errorText"] != nil {
		b.tb.Fatalf("open the page: %v", result["errorText"])
	}
	b.Await("document.readyState === 'complete' && location.href !== 'about:blank'")
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

func (b *Browser) evaluate(expression string) (any, error) {
	b.tb.Helper()
	answer := b.Call("Runtime.evaluate", map[string]any{
		"expression": expression, "returnByValue": true, "awaitPromise": true, "userGesture": true,
	})
	if details, failed := answer["exceptionDetails"]; failed {
		text, _ := json.Marshal(details) //nolint:errchkjson // it was JSON before
		return nil, fmt.Errorf("the page says: %s", text)
	}
	result, _ := answer["result"].(map[string]any)
	return result["value"], nil
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
		b.pause()
	}
}

// pause waits before the page is asked again.
func (b *Browser) pause() {
	timer := time.NewTimer(pollInterval)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-b.closed:
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

// The codes of keys that have an effect of their own in a browser.
var keyCodes = map[string]int{"Tab": 9, "Enter": 13, "Escape": 27}

// Press presses a key, such as ArrowDown, Enter or p.
func (b *Browser) Press(key string) {
	b.tb.Helper()
	params := map[string]any{"type": "keyDown", "key": key}
	if code, ok := keyCodes[key]; ok {
		params["windowsVirtualKeyCode"] = code
	}
	switch {
	case key == "Enter":
		params["text"] = "\r"
	case len(key) == 1:
		params["text"] = key
	}
	b.Call("Input.dispatchKeyEvent", params)
	b.Call("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": key})
}

// Size changes the size of the page, and Dark its colours.
func (b *Browser) Size(width, height int) {
	b.tb.Helper()
	b.Call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false})
}

// Dark has the page believe that the user prefers dark colours, or light ones.
func (b *Browser) Dark(dark bool) {
	b.tb.Helper()
	value := "light"
	if dark {
		value = "dark"
	}
	b.Call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]any{{"name": "prefers-color-scheme", "value": value}}})
}

// Screenshot returns a picture of the visible part of the page, as PNG.
func (b *Browser) Screenshot() []byte {
	b.tb.Helper()
	text, _ := b.Call("Page.captureScreenshot", map[string]any{"format": "png"})["data"].(string)
	picture, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		b.tb.Fatalf("take a picture: %v", err)
	}
	return picture
}
