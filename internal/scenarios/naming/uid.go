package naming

import "regexp"

// UID matches the UID of an object, wherever it stands in a text.
var UID = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
