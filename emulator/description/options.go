package description

import "errors"

// ErrOptions is the error of invalid options of an emulator.
var ErrOptions = errors.New("invalid options")
