package replay

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/oracle"
	"github.com/cosi-emu/cosi-emu/internal/oracle/checks"
	"github.com/cosi-emu/cosi-emu/internal/oracle/observed"
	"github.com/cosi-emu/cosi-emu/internal/recording"
)

// ErrNoState means that a recording ends before the first observation.
var ErrNoState = errors.New("the recording has no state to check; the emulator writes it when it stops")

// Judge runs nothing: the oracles of this version judge the recorded events.
func Judge(r *recording.Recording) ([]checks.Finding, error) {
	if len(r.State) == 0 {
		if r.End != nil && len(r.End.Failures) > 0 {
			return nil, fmt.Errorf("%w: %s", ErrNoState, strings.Join(r.End.Failures, "; "))
		}
		return nil, ErrNoState
	}
	var input observed.Input
	if err := json.Unmarshal(r.State, &input); err != nil {
		return nil, fmt.Errorf("%w: its state cannot be read: %w", recording.ErrDamaged, err)
	}
	input.Events = r.Events
	return oracle.Judge(input), nil
}
