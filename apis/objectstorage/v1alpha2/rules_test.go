package v1alpha2_test

import "strings"

// Tables for fields of the same type. Each takes the path of the field.

func accepts(path, name string, value any) row {
	return row{name: path + " accepts " + name, edits: []edit{set(path, value)}}
}

// rejects expects the API server to name the field, or the given fields.
func rejects(path, name string, value any, fields ...string) row {
	if len(fields) == 0 {
		fields = []string{path}
	}
	return row{name: path + " rejects " + name, edits: []edit{set(path, value)}, rejected: fields}
}

func required(path string) []row {
	return []row{{name: path + " is required", edits: []edit{remove(path)}, rejected: []string{path}}}
}

func optional(path string) []row {
	return []row{{name: path + " is optional", edits: []edit{remove(path)}}}
}

// length are the limits of a string, which may consist of the letter a.
func length(path string, limit int) []row {
	return []row{
		rejects(path, "the empty string", ""),
		accepts(path, "one character", "a"),
		accepts(path, "the longest", strings.Repeat("a", limit)),
		rejects(path, "one more", strings.Repeat("a", limit+1)),
	}
}

func driverName(path string) []row {
	return append(length(path, 63),
		accepts(path, "dots, dashes and capitals", "S3.example-1.Com"),
		rejects(path, "a dash in front", "-s3"),
		rejects(path, "a dot at the end", "s3."),
		rejects(path, "an underscore", "s3_example"),
		rejects(path, "a number", int64(3)),
	)
}

func resourceName(path string) []row {
	return append(length(path, 253),
		accepts(path, "dots and dashes", "bucket-1.example.com"),
		rejects(path, "capitals", "Bucket"),
		rejects(path, "an underscore", "bucket_1"),
		rejects(path, "a dash in front", "-bucket"),
		rejects(path, "two dots", "bucket..1"),
		rejects(path, "a slash", "default/bucket"),
	)
}

func backendID(path string) []row {
	return append(length(path, 2048),
		accepts(path, "all kinds of characters", "Tenant_1/bucket-2.example"),
		rejects(path, "a blank", "my bucket"),
		rejects(path, "a colon", "arn:aws:s3"),
		rejects(path, "a line break", "bucket\n"),
		rejects(path, "a letter beyond ASCII", "büket"),
	)
}

func enum(path string, values ...string) []row {
	rows := []row{
		rejects(path, "the empty string", ""),
		rejects(path, "another word", "Other"),
		rejects(path, "small letters", strings.ToLower(values[0])),
	}
	for _, value := range values {
		rows = append(rows, accepts(path, value, value))
	}
	return rows
}

func protocol(path string) []row { return enum(path, "S3", "Azure", "GCS") }

// smallSet is a set of one to three of the values, of which there are three.
func smallSet(path string, values ...string) []row {
	return []row{
		rejects(path, "no entry", strs()),
		accepts(path, "one", strs(values[0])),
		accepts(path, "all", strs(values...)),
		rejects(path, "one twice", strs(values[1], values[1]), path+"[1]"),
		rejects(path, "an unknown one", strs(values[0], "Other"), path+"[1]"),
		rejects(path, "more than there are", strs(append(values, values[0])...), path, path+"[3]"),
	}
}

func protocols(path string) []row { return smallSet(path, "S3", "Azure", "GCS") }

func stringMap(path string, limit int) []row {
	return []row{
		rejects(path, "no entry", map[string]any{}),
		accepts(path, "one entry", entries(1)),
		accepts(path, "the most entries", entries(limit)),
		rejects(path, "one more", entries(limit+1)),
		accepts(path, "an empty value", map[string]any{"key": ""}),
		rejects(path, "a number", map[string]any{"key": int64(1)}, path+".key"),
	}
}

// frozen is a field that cannot change from one value to another.
func frozen(path string, before, after any) []row {
	return []row{
		{name: path + " may stay", from: []edit{set(path, before)}, edits: []edit{set(path, before)}},
		{
			name: path + " cannot change", from: []edit{set(path, before)}, edits: []edit{set(path, after)},
			rejected: []string{path}, says: "immutable",
		},
	}
}

// mutable is a field that can change.
func mutable(path string, before, after any) []row {
	return []row{{name: path + " may change", from: []edit{set(path, before)}, edits: []edit{set(path, after)}}}
}

// addable is an optional field that may be set later.
func addable(path string, value any) []row {
	return []row{{name: path + " may be added", edits: []edit{set(path, value)}}}
}

// notAddable is an optional field that cannot be set later. The rule belongs to its parent, which
// the error names.
func notAddable(path string, value any) []row {
	parent, field := split(path)
	return []row{{
		name: path + " cannot be added", edits: []edit{set(path, value)},
		rejected: []string{parent}, says: field + " cannot be added",
	}}
}

// notRemovable is an optional field that cannot be unset, by a rule of its parent.
func notRemovable(path string, value any) []row {
	parent, field := split(path)
	return []row{{
		name: path + " cannot be removed", from: []edit{set(path, value)}, edits: []edit{remove(path)},
		rejected: []string{parent}, says: field + " cannot be",
	}}
}

// fixed is an optional field that cannot change after creation.
func fixed(path string, before, after any) []row {
	return join(frozen(path, before, after), notAddable(path, before), notRemovable(path, before))
}

// setOnce is an optional field that may be set later, and then stays.
func setOnce(path string, before, after any) []row {
	return join(frozen(path, before, after), addable(path, before), notRemovable(path, before))
}

func join(tables ...[]row) []row { return flatten(tables) }

func split(path string) (parent, field string) {
	i := strings.LastIndexByte(path, '.')
	return path[:i], path[i+1:]
}
