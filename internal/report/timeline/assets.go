package timeline

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
)

//go:embed html/style.css
var style string

//go:embed html/script.js
var script string

// assets are the page's own style and script, and the policy that forbids all others.
type assets struct {
	Style  template.CSS
	Script template.JS
	Policy string
}

func newAssets() assets {
	return assets{
		Style:  template.CSS(style), //nolint:gosec // a file of this package
		Script: template.JS(script), //nolint:gosec // a file of this package
		Policy: fmt.Sprintf("default-src 'none'; style-src %s; script-src %s; base-uri 'none'; form-action 'none'",
			digest(style), digest(script)),
	}
}

// digest hashes a text for a content security policy.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
