package tree

import (
	"fmt"

	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/sample"
)

// Plain returns files with ordinary names, one of them empty.
func Plain() map[string][]byte {
	return map[string][]byte{
		"one.txt": sample.Content(20, sample.Small), "empty": {}, "dir/two.txt": sample.Content(21, sample.Small),
		"dir/deeper/three.txt": sample.Content(22, 2*sample.Small),
	}
}

// Odd returns files with the names that programs get wrong.
func Odd() map[string][]byte {
	files := map[string][]byte{}
	for i, name := range sample.OddNames() {
		files[name] = sample.Content(uint64(30+i), 10)
	}
	return files
}

// Many returns n empty keys under a prefix.
func Many(prefix string, n int) []string {
	var keys []string
	for i := range n {
		keys = append(keys, fmt.Sprintf("%s%05d", prefix, i))
	}
	return keys
}
