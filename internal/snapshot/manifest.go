package snapshot

import "encoding/json"

// manifest is the second line of a file.
type manifest struct {
	// Description is what the caller knows of the snapshot. It contains no secrets.
	Description json.RawMessage `json:"description"`
	// Archive describes what follows the manifest.
	Archive archive `json:"archive"`
}

// archive describes the archive of a snapshot.
type archive struct {
	// Size and SHA256 are those of the archive, and Unpacked is the size of its files.
	Size     int64  `json:"size"`
	SHA256   string `json:"sha256"`
	Unpacked int64  `json:"unpacked"`
}
