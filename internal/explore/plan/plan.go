package plan

import "errors"

// ErrOptions means that options are invalid.
var ErrOptions = errors.New("invalid exploration options")
