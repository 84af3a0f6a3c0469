package replay

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/cosi-emu/cosi-emu/internal/oracle"
	"github.com/cosi-emu/cosi-emu/internal/oracle/checks"
	"github.com/cosi-emu/cosi-emu/internal/oracle/observed"
	"github.com/cosi-emu/cosi-emu/internal/recording"
)

// ErrNoState means that a recording ends before the first observation.
var ErrNoState = errors.New("the recording is truncated: it has no state to check")

// Judge runs nothing: the oracles of this version judge the recorded events.
func Judge(r *recording.Recording) ([]checks.Finding, error) {
	if len(r.State) == 0 {
		return nil, ErrNoState
	}
	var input observed.Input
	if err := json.Unmarshal(r.State, &input); err != nil {
		return nil, fmt.Errorf("%w: its state cannot be read: %w", recording.ErrDamaged, err)
	}
	input.Events = r.Events
	return oracle.Judge(input), nil
}
