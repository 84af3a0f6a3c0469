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

// assets are what is ours in the page, and the policy that lets nothing else in.
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

// digest names a text in the way of a content security policy.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
