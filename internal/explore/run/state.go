package run

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/oracle/observed"
)

// State is the end state of a run: every Kubernetes object, and every bucket and account of the
// backend, without values that differ between runs.
type State map[string]any

// volatileFields are the fields that always differ between runs: times, versions, messages, and
// hashes of UIDs.
var volatileFields = []string{
	"uid", "resourceVersion", "generation", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds",
	"managedFields", "lastTransitionTime", "observedGeneration", "message", "createdAt", "accessKeyID", "time",
	"AZURE_STORAGE_ACCOUNT",
}

// StateOf returns the state in an observation.
func StateOf(m observed.Observation, n *Names) (State, error) {
	s := State{}
	for kind, objects := range map[string]any{
		"BucketClaim": m.Objects.Claims, "Bucket": m.Objects.Buckets, "BucketAccess": m.Objects.Accesses, "Secret": m.Objects.Secrets,
	} {
		if err := s.add(kind, objects, n); err != nil {
			return nil, err
		}
	}
	if m.Backend == nil {
		return s, nil
	}
	if err := s.add("backend bucket", m.Backend.Buckets, n); err != nil {
		return nil, err
	}
	return s, s.add("backend account", m.Backend.Accounts, n)
}

func (s State) add(kind string, list any, n *Names) error {
	data, err := json.Marshal(list)
	if err != nil {
		return fmt.Errorf("encode every %s: %w", kind, err)
	}
	var items []map[string]any
	if err := json.Unmarshal([]byte(n.In(string(data))), &items); err != nil {
		return fmt.Errorf("decode every %s: %w", kind, err)
	}
	for _, item := range items {
		s[kind+" "+nameOf(item)] = Stable(item)
	}
	return nil
}

// nameOf returns the name of an object in Kubernetes or in the backend.
func nameOf(item map[string]any) string {
	metadata, _ := item["metadata"].(map[string]any)
	for _, name := range []any{metadata["name"], item["name"], item["id"]} {
		if text, ok := name.(string); ok && text != "" {
			return text
		}
	}
	return "without a name"
}

// Stable removes volatile fields. A deletion timestamp becomes the field deleting. Lists
// are sorted, because the order of UIDs differs between runs.
func Stable(value any) any {
	switch value := value.(type) {
	case map[string]any:
		kept := map[string]any{}
		for name, field := range value {
			if !slices.Contains(volatileFields, name) {
				kept[name] = Stable(field)
			}
		}
		if value["deletionTimestamp"] != nil {
			kept["deleting"] = true
		}
		return kept
	case []any:
		kept := make([]any, len(value))
		for i, item := range value {
			kept[i] = Stable(item)
		}
		slices.SortFunc(kept, func(a, b any) int { return strings.Compare(ShortText(a), ShortText(b)) })
		return kept
	default:
		return value
	}
}

// Difference is an object that differs between two states: its kind and name, and how it differs.
type Difference struct {
	Name, Detail string
}

// Equals reports whether nothing differs from the wanted state.
func (s State) Equals(want State) bool { return len(s.Differences(want)) == 0 }

// Differences returns the differences from the wanted state, in the order of names.
func (s State) Differences(want State) []Difference {
	all := maps.Clone(want)
	maps.Copy(all, s)
	var found []Difference
	for _, name := range slices.Sorted(maps.Keys(all)) {
		got, isThere := s[name]
		wanted, belongs := want[name]
		switch {
		case !isThere:
			found = append(found, Difference{name, "not found"})
		case !belongs:
			found = append(found, Difference{name, "exists, but must not"})
		default:
			if paths := Differing("", wanted, got); len(paths) > 0 {
				found = append(found, Difference{name, strings.Join(paths, "; ")})
			}
		}
	}
	return found
}

// Differing describes the differences of two values, without their equal parts.
func Differing(path string, want, got any) []string {
	if wanted, gotten, ok := both[map[string]any](want, got); ok {
		keys := maps.Clone(wanted)
		maps.Copy(keys, gotten)
		var all []string
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			all = append(all, Differing(strings.TrimPrefix(strings.ReplaceAll(path+"."+key, ".[", "["), "."), wanted[key], gotten[key])...)
		}
		return all
	}
	if wanted, gotten, ok := both[[]any](want, got); ok {
		return differingItems(path, wanted, gotten)
	}
	if a, b := ShortText(want), ShortText(got); a != b {
		return []string{fmt.Sprintf("%s is %s, not %s", path, shortened(b), shortened(a))}
	}
	return nil
}

func both[T any](a, b any) (first, second T, ok bool) {
	first, isFirst := a.(T)
	second, isSecond := b.(T)
	return first, second, isFirst && isSecond
}

// itemKeys are the fields that identify an item of a list, in the order of preference.
var itemKeys = []string{"type", "name", "bucketName", "bucketClaimName", "bucketId", "id", "bucket", "uid"}

// differingItems returns how lists differ. Items with the same identity are compared; others are
// missing or additional.
func differingItems(path string, want, got []any) []string {
	if key := identifying(want, got); key != "" {
		return Differing(path, byIdentity(key, want), byIdentity(key, got))
	}
	var all []string
	for _, item := range without(want, got) {
		all = append(all, fmt.Sprintf("%s lacks %s", path, shortened(item)))
	}
	for _, item := range without(got, want) {
		all = append(all, fmt.Sprintf("%s has %s, which it must not", path, shortened(item)))
	}
	return all
}

// identifying returns the field that identifies all items of lists, or "".
func identifying(lists ...[]any) string {
	for _, key := range itemKeys {
		if !slices.ContainsFunc(lists, func(items []any) bool { return !identifies(key, items) }) {
			return key
		}
	}
	return ""
}

// identifies reports whether all items of a list have a field, each with another value.
func identifies(key string, items []any) bool {
	seen := map[string]bool{"": true}
	for _, item := range items {
		id := identityOf(key, item)
		if seen[id] {
			return false
		}
		seen[id] = true
	}
	return true
}

func identityOf(key string, item any) string {
	fields, _ := item.(map[string]any)
	text, _ := fields[key].(string)
	return text
}

func byIdentity(key string, items []any) map[string]any {
	all := map[string]any{}
	for _, item := range items {
		all[fmt.Sprintf("[%s=%s]", key, identityOf(key, item))] = item
	}
	return all
}

// without returns the texts of the items that another list lacks.
func without(items, other []any) []string {
	left := map[string]int{}
	for _, item := range other {
		left[ShortText(item)]++
	}
	var all []string
	for _, item := range items {
		text := ShortText(item)
		left[text]--
		if left[text] < 0 {
			all = append(all, text)
		}
	}
	return all
}

// maxShort limits the length of a value in a difference.
const maxShort = 120

func shortened(text string) string {
	if runes := []rune(text); len(runes) > maxShort {
		return string(runes[:maxShort]) + "…"
	}
	return text
}

// ShortText renders a value in JSON.
func ShortText(value any) string {
	if value == nil {
		return "absent"
	}
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false) // names contain < and >
	if err := encoder.Encode(value); err != nil {
		return fmt.Sprint(value)
	}
	return strings.TrimSpace(text.String())
}
