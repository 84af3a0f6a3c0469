package ui

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"

	"github.com/cosi-emu/cosi-emu/internal/report/timeline"
)

//go:embed html/page.html
var pageText string

//go:embed html/style.css
var style string

//go:embed html/script.js
var script string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// document returns the page and its policy, which allows its own style and script, and requests to
// its own server.
func document(name, version string) (page []byte, policy string, err error) {
	var symbols, whole bytes.Buffer
	if err := timeline.WriteSymbols(&symbols); err != nil {
		return nil, "", err
	}
	styles := timeline.Style() + style
	err = pageTemplate.Execute(&whole, map[string]any{
		"Name": name, "Version": version, "Kinds": timeline.Kinds(),
		"Style":   template.CSS(styles),            //nolint:gosec // files of ours
		"Script":  template.JS(script),             //nolint:gosec // a file of this package
		"Symbols": template.HTML(symbols.String()), //nolint:gosec // a template of ours
	})
	policy = fmt.Sprintf("default-src 'none'; style-src %s; script-src %s; connect-src 'self'; base-uri 'none'; "+
		"form-action 'none'; frame-ancestors 'none'", digest(styles), digest(script))
	return whole.Bytes(), policy, err
}

// digest hashes a text for a content security policy.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
