package postform

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/s3error"
)

// Policy describes the allowed forms, and the expiry.
type Policy struct {
	expiration time.Time
	conditions []condition
	// Min and Max are the limits of a file's size, in bytes.
	Min, Max int64
}

// ParsePolicy reads the field policy of a form. The error is InvalidPolicyDocument, or AccessDenied
// for a condition that cannot be true.
func ParsePolicy(field string) (*Policy, error) {
	text, err := base64.StdEncoding.DecodeString(field)
	if err != nil {
		return nil, invalid("Invalid Base64 encoding.")
	}
	var document map[string]json.RawMessage // names are case-sensitive
	if json.Unmarshal(plainJSON(text), &document) != nil {
		return nil, invalid("Invalid JSON.")
	}
	p := &Policy{Max: math.MaxInt64}
	if err := p.parseExpiration(document["expiration"]); err != nil {
		return nil, err
	}
	var conditions []json.RawMessage
	switch raw, given := document["conditions"]; {
	case !given:
		return nil, invalid("Policy missing conditions.")
	case json.Unmarshal(raw, &conditions) != nil || conditions == nil:
		return nil, invalid("Invalid 'conditions' value: must be a List.")
	}
	for _, raw := range conditions {
		if err := p.parseCondition(raw); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// escapes are JSON's, and two more from S3's documentation: for a dollar sign and a vertical tab.
var escapes = regexp.MustCompile(`\\.`)

func plainJSON(text []byte) []byte {
	return escapes.ReplaceAllFunc(text, func(escape []byte) []byte {
		switch escape[1] {
		case '$':
			return escape[1:]
		case 'v':
			return []byte(`\u000b`)
		}
		return escape
	})
}

func invalid(message string) *s3error.Error {
	return s3error.ErrInvalidPolicyDocument.With("Invalid Policy: " + message)
}

func (p *Policy) parseExpiration(raw json.RawMessage) (err error) {
	if raw == nil {
		return invalid("Policy missing expiration.")
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		p.expiration, err = time.Parse("2006-01-02T15:04:05Z", text) // accepts a fraction, too
	}
	if text == "" || err != nil {
		return invalid("Invalid 'expiration' value: '" + text + "'")
	}
	return nil
}

func (p *Policy) parseCondition(raw json.RawMessage) error {
	var simple map[string]any
	if json.Unmarshal(raw, &simple) == nil && simple != nil {
		return p.parseSimple(simple, raw)
	}
	var list []any
	if json.Unmarshal(raw, &list) != nil || list == nil {
		return invalid("Invalid condition: must be an Object or a List.")
	}
	if len(list) > 0 && isOperator(list[0], lengthRange) {
		return p.parseRange(list[1:])
	}
	c, ok := conditionOf(list)
	switch {
	case !ok:
		return failed(string(raw))
	case !c.isKnown():
		return c.failed()
	}
	p.conditions = append(p.conditions, c)
	return nil
}

func (p *Policy) parseSimple(simple map[string]any, raw json.RawMessage) error {
	if len(simple) != 1 {
		return invalid("Invalid Simple-Condition: Simple-Conditions must have exactly one property specified.")
	}
	for name, value := range simple {
		text, ok := value.(string)
		if !ok {
			return failed(string(raw))
		}
		p.conditions = append(p.conditions, condition{equal, strings.ToLower(name), text})
	}
	return nil
}

func isOperator(value any, operator string) bool {
	text, ok := value.(string)
	return ok && strings.EqualFold(text, operator)
}

// parseRange limits the size of the file, possibly by several ranges.
func (p *Policy) parseRange(bounds []any) error {
	if len(bounds) != 2 {
		return invalid("Invalid content-length-range: wrong number of arguments.")
	}
	least, ok := size(bounds[0])
	most, isSize := size(bounds[1])
	if !ok || !isSize || least > most {
		return invalid("Invalid content-length-range: the sizes must be integers, the first not more than the second.")
	}
	p.Min, p.Max = max(p.Min, least), min(p.Max, most)
	return nil
}

// size reads a number of bytes, which clients also send as a string.
func size(value any) (int64, bool) {
	var text string
	switch value := value.(type) {
	case string:
		text = value
	case float64:
		text = strconv.FormatFloat(value, 'f', -1, 64)
	}
	bytes, err := strconv.ParseInt(text, 10, 64)
	return bytes, err == nil && bytes >= 0
}

// Check checks a form that was posted to a bucket. The error is AccessDenied.
func (p *Policy) Check(f *Form, bucket string, now time.Time) error {
	if !now.Before(p.expiration) {
		return denied("Policy expired.")
	}
	if named, given := f.Fields["bucket"]; given && named != bucket {
		return condition{equal, "bucket", named}.failed()
	}
	fields := maps.Clone(f.Fields)
	fields["bucket"] = bucket
	covered := map[string]bool{}
	for _, c := range p.conditions {
		value, given := fields[c.field]
		if !given || !c.holds(value) {
			return c.failed()
		}
		covered[c.field] = true
	}
	var extra []string
	for name := range fields {
		if !covered[name] && !isExempt(name) {
			extra = append(extra, name)
		}
	}
	if len(extra) > 0 {
		slices.Sort(extra)
		return denied("Extra input fields: " + strings.Join(extra, ", "))
	}
	return nil
}

// isExempt reports whether a field needs no condition.
func isExempt(name string) bool {
	return name == "policy" || name == "x-amz-signature" || strings.HasPrefix(name, "x-ignore-")
}

func denied(message string) *s3error.Error {
	return s3error.ErrAccessDenied.With("Invalid according to Policy: " + message)
}
