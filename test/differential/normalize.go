package differential

import (
	"regexp"
	"slices"
	"strings"
)

// normalize removes from an answer what only its server can know: identities, versions and
// times. It returns a copy.
func normalize(value any) any { return normalizeField("", clone(value)) }

// volatile are the fields that are different on every server, and their replacements.
var volatile = map[string]string{
	"uid": "UID", "resourceVersion": "VERSION", "creationTimestamp": "TIME", "deletionTimestamp": "TIME", "time": "TIME",
	"continue": "TOKEN", "expirationTimestamp": "TIME", "token": "TOKEN",
}

func normalizeField(name string, value any) any {
	switch in := value.(type) {
	case map[string]any:
		for key, field := range in {
			in[key] = normalizeField(key, field)
		}
		normalizeStatus(in)
		return in
	case []any:
		for i, item := range in {
			in[i] = normalizeField("", item)
		}
		switch name {
		case "cells":
			normalizeCells(in)
		case "managedFields", // the servers sort them by the second of their time
			"finalizers": // kube-apiserver keeps those of a namespace that is deleted in a map
			slices.SortFunc(in, func(a, b any) int { return strings.Compare(text(a), text(b)) })
		case "nonResourceRules", "resourceRules", "causes": // in any order
			slices.SortFunc(in, func(a, b any) int { return strings.Compare(text(a), text(b)) })
			return slices.CompactFunc(in, func(a, b any) bool { return text(a) == text(b) })
		}
		return in
	case string:
		if placeholder, ok := volatile[name]; ok && in != "" {
			return placeholder
		}
		return normalizeText(in)
	default:
		return value
	}
}

var (
	uids      = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	versions  = regexp.MustCompile(`(ResourceVersion in (?:precondition|object meta)): \d+`)
	conflicts = regexp.MustCompile(`(in (?:the precondition|record)) \(\d*\)`)
	addresses = regexp.MustCompile(`127\.0\.0\.1:\d+`)
	embedded  = regexp.MustCompile(`(resourceVersion(?:\\*":\\*"|:))\d+`)
	tooOld    = regexp.MustCompile(`(too old resource version:) \d+ \(\d+\)`)
	tooLarge  = regexp.MustCompile(`(Too large resource version: \d+, current:) \d+`)
	undefined = regexp.MustCompile(`(?s)(failed to create typed patch object \(.*?\): ).*`)
	converted = regexp.MustCompile(`(: converting \([\w.]+\) to )\(\w+(\.\w+\): unknown conversion)`)
	shown     = regexp.MustCompile(`(managedFields\\*":)\[.*?\}\](,\\*"name|\})`)
	unfit     = regexp.MustCompile(`(?s)^(Invalid value: "map\[.*\]": ).*`)
	values    = regexp.MustCompile(`(?s)((?:Invalid|Duplicate) value: )\{.*\}(: |$)`)
	missing   = regexp.MustCompile(`RBAC: \[(.*)\]`)
	generated = regexp.MustCompile(`\bgenerated-[a-z0-9]{5}\b`)
	times     = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`)
	ages      = regexp.MustCompile(`^(\d+[dhms])+$|^<invalid>$`)
)

func normalizeText(text string) string {
	text = uids.ReplaceAllString(text, "UID")
	text = versions.ReplaceAllString(text, "$1: VERSION")
	text = embedded.ReplaceAllString(text, "${1}VERSION")
	text = tooOld.ReplaceAllString(text, "$1 VERSION (VERSION)")
	text = tooLarge.ReplaceAllString(text, "$1 VERSION")
	text = undefined.ReplaceAllString(text, "${1}REASONS")      // in an order that changes from run to run
	text = shown.ReplaceAllString(text, "${1}FIELDS${2}")       // as above, sorted by the second of their time
	text = unfit.ReplaceAllString(text, "${1}REASON")           // the first of several, in an order that changes from run to run
	text = values.ReplaceAllString(text, "${1}OBJECT${2}")      // its fields have the names of internal types
	text = converted.ReplaceAllString(text, "${1}(PACKAGE${2}") // package of internal types
	text = conflicts.ReplaceAllString(text, "$1 (VERSION)")
	text = addresses.ReplaceAllString(text, "ADDRESS")
	text = times.ReplaceAllString(text, "TIME")
	text = missing.ReplaceAllStringFunc(text, func(list string) string { // of bindings in any order
		roles := strings.Split(missing.FindStringSubmatch(list)[1], ", ")
		slices.Sort(roles)
		return "RBAC: [" + strings.Join(roles, ", ") + "]"
	})
	return generated.ReplaceAllString(text, "generated-RANDOM")
}

// normalizeStatus removes from the message of a rejection the text that its causes repeat.
func normalizeStatus(status map[string]any) {
	details, _ := status["details"].(map[string]any)
	message, ok := status["message"].(string)
	if before, _, found := strings.Cut(message, " is invalid: "); ok && found && details["causes"] != nil {
		status["message"] = before + " is invalid: CAUSES"
	}
}

// normalizeCells removes the ages from the row of a table.
func normalizeCells(cells []any) {
	for i, cell := range cells {
		if text, ok := cell.(string); ok && ages.MatchString(strings.TrimSpace(text)) {
			cells[i] = "AGE"
		}
	}
}
