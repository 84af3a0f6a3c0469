package snapshot

import "encoding/json"

// manifest is the second line of a file.
type manifest struct {
	// Description is the caller's description of the snapshot. It contains no secrets.
	Description json.RawMessage `json:"description"`
	// Archive describes the archive after the manifest.
	Archive archive `json:"archive"`
}

type archive struct {
	// Size and SHA256 describe the archive, and Unpacked is the size of its files.
	Size     int64  `json:"size"`
	SHA256   string `json:"sha256"`
	Unpacked int64  `json:"unpacked"`
}
