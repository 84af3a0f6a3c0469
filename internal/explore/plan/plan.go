// Package plan enumerates what exploration tries: the effects of faults and interferences at the points
// of a run, alone and in cases of several. It also decides which of them are equivalent.
package plan

import "errors"

// ErrOptions means that the options of an exploration are invalid.
var ErrOptions = errors.New("invalid exploration options")
