package timeline_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/report"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
)

// hostile are texts that try to inject HTML. None of them has letters that could be part of the
// page.
var hostile = []string{
	`</noscript></style></script><script id="evil">evil()</script>`,
	`"><img src=x onerror=evil()>`,
	`' onmouseover='evil()`,
	"` onfocus=evil() autofocus `",
	`javascript:evil()`,
	`<!--<script>evil()</script>`,
	`--><evil></evil><![CDATA[`,
	`{{evil}}${evil}&lt;evil&gt;&#60;evil&#62;`,
	`</title><evil>`,
	"</svg></a></g></summary></details><evil>",
	"\x00\x1b[31m\u202eevil\u2028\u2029\xff\xfe",
}

// poison fills every text below a value with a hostile one.
func poison(v reflect.Value, text string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(v.String() + text)
	case reflect.Pointer:
		poison(v.Elem(), text)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for _, field := range v.Fields() {
			poison(field, text)
		}
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			poisonBody(v, text)
			return
		}
		for i := range v.Len() {
			poison(v.Index(i), text)
		}
	case reflect.Map:
		poisonMap(v, text)
	default:
	}
}

func poisonMap(v reflect.Value, text string) {
	if !v.IsNil() && v.Type().Key().Kind() == reflect.String && v.Type().Elem().Kind() == reflect.String {
		v.SetMapIndex(reflect.ValueOf(text).Convert(v.Type().Key()), reflect.ValueOf(text))
	}
}

// poisonBody inserts hostile keys and values into a body; the odd ones are not even JSON.
func poisonBody(v reflect.Value, text string) {
	if v.Len() == 0 {
		return
	}
	quoted := fmt.Sprintf("%q", text)
	if !json.Valid([]byte(quoted)) {
		v.SetBytes([]byte(text))
		return
	}
	body := strings.Replace(string(v.Bytes()), "{", fmt.Sprintf("{%s:%s,", quoted, quoted), 1)
	v.SetBytes([]byte(strings.ReplaceAll(body, `"so it is"`, quoted)))
}

// poisoned returns the fixture with hostile texts. A second scenario keeps the fields that the page
// branches on, so that both branches run.
func poisoned(text string) report.Report {
	all := fixture()
	poison(reflect.ValueOf(&all).Elem(), text)
	semi := lifecycle()
	for i := range semi.Events {
		e := &semi.Events[i]
		seam, component := e.Seam, e.Component
		poison(reflect.ValueOf(e).Elem(), text)
		e.Seam = seam
		if i%2 == 0 {
			e.Component = component
		}
		if i%3 == 0 {
			e.Operation.Name = "update bucketclaims"
			e.Response = json.RawMessage(claim("True", "R"))
			poison(reflect.ValueOf(&e.Response).Elem(), text)
		}
	}
	all.Scenarios = append(all.Scenarios, semi)
	return all
}

// ours are the elements of the page.
var ours = strings.Fields(`html head meta title style script body a header h1 h2 h3 h4 p span b i small sup q code pre nav div
	input label ol ul li svg symbol path rect main section noscript article table thead tbody tr th td details summary fieldset
	legend button figure g text line pattern use aside link`)

func TestHostile(t *testing.T) {
	for i, text := range hostile {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			page := write(t, poisoned(text))
			if n := strings.Count(page, "</noscript"); n != len(poisoned(text).Scenarios) {
				t.Errorf("%d ends of noscript: one could end early", n)
			}
			harmless(t, parse(t, page, false))
			root := parse(t, page, true)
			harmless(t, root)
			for n := range find(root) {
				if n.Data == "noscript" && n.FirstChild != nil {
					harmless(t, parse(t, n.FirstChild.Data, true)) // as the script does
				}
			}
		})
	}
}

// harmless checks that hostile text is only text.
func harmless(t *testing.T, root *html.Node) {
	t.Helper()
	scripts := 0
	for n := range find(root) {
		if !slices.Contains(ours, n.Data) {
			t.Errorf("there is a <%s>", n.Data)
		}
		if n.Data == "script" {
			scripts++
		}
		for _, a := range n.Attr {
			switch {
			case strings.HasPrefix(a.Key, "on"), a.Key == "src", a.Key == "style", a.Key == "autofocus", a.Key == "action":
				t.Errorf("<%s> has %s=%q", n.Data, a.Key, a.Val)
			case a.Key == "href" && !strings.HasPrefix(a.Val, "#") && a.Val != specification:
				t.Errorf("<%s> leads to %q", n.Data, a.Val)
			}
		}
	}
	if scripts > 1 {
		t.Errorf("%d scripts, want ours alone", scripts)
	}
}

func TestHostileIsShown(t *testing.T) {
	text := hostile[0]
	r := report.New("v", start, 0, []report.Scenario{{
		Name: text, Outcome: outcome.Failed, Started: start, Failures: []report.Failure{{Message: text}},
		Events: []journal.Event{{Seq: 1, Seam: journal.SeamLog, Message: text}},
	}})
	root := parse(t, write(t, r), false)
	for where, n := range map[string]*html.Node{"list": byID(root, "list"), "scenario": byID(root, "s1")} {
		if !strings.Contains(textOf(n), text) {
			t.Errorf("the %s does not show the text as it is: %s", where, textOf(n))
		}
	}
}
