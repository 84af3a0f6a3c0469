package peers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/cosi-emu/cosi-emu/test/bench/figure"
	"github.com/cosi-emu/cosi-emu/test/bench/workload"
)

// Options select the servers to compare. All but the directories are required.
type Options struct {
	// Program is the path of the cosi-emu program.
	Program string
	// Peers are the other servers, at least one.
	Peers []Peer
	// Dir has the programs of the peers. Empty: they are built.
	Dir string
	// CacheDir keeps programs that were built. Empty: cosi-emu/peers in the user's cache
	// directory.
	CacheDir string
	// Duration is how long each server is under load.
	Duration time.Duration
}

// turnLength is how long a server is under load in one turn. The servers take turns, so
// that another load on the machine concerns all of them.
const turnLength = 3 * time.Second

var errNoPeer = errors.New("there is no other server to compare with")

// Measure compares the store with each peer. A peer that cannot be built or started is left out, and
// the figures note this. Measure fails if no peer runs, or if the load fails. It leaves no process
// running and no data behind.
func Measure(ctx context.Context, o Options, progress func(string)) (figures []figure.Figure, err error) {
	var subjects []*subject
	defer func() {
		for _, s := range subjects {
			err = errors.Join(err, s.close())
		}
	}()
	progress("start cosi-emu")
	ours, err := startOurs(ctx, o.Program)
	if err != nil {
		return nil, err
	}
	subjects = append(subjects, ours)
	var missing []error
	for _, p := range o.Peers {
		s, err := o.startPeer(ctx, p, progress)
		switch {
		case ctx.Err() != nil:
			return nil, errors.Join(context.Cause(ctx), err)
		case err != nil:
			missing = append(missing, err)
			progress(err.Error())
		default:
			subjects = append(subjects, s)
		}
	}
	if len(subjects) == 1 {
		return nil, errors.Join(append([]error{errNoPeer}, missing...)...)
	}
	if err := load(ctx, subjects, o.Duration, progress); err != nil {
		return nil, err
	}
	return compare(subjects, missing), nil
}

func (o Options) startPeer(ctx context.Context, p Peer, progress func(string)) (*subject, error) {
	path, err := o.find(ctx, p, progress)
	if err != nil {
		return nil, fmt.Errorf("%s is not measured: %w", p.Name, err)
	}
	progress("start " + p.Name)
	s, err := startPeer(ctx, p, path)
	if err != nil {
		return nil, fmt.Errorf("%s is not measured: %w", p.Name, err)
	}
	return s, nil
}

// load fills all servers, and has them take turns.
func load(ctx context.Context, subjects []*subject, duration time.Duration, progress func(string)) error {
	data := workload.NewContent(bytes.Repeat([]byte{'x'}, size))
	for _, s := range subjects {
		progress(fmt.Sprintf("%s: %d objects", s.name, objects))
		if err := fill(ctx, s.client, data); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	for done, turn := time.Duration(0), uint64(0); done < duration; turn++ {
		length := min(turnLength, duration-done)
		for _, s := range subjects {
			progress(fmt.Sprintf("%s, %s of %s", s.name, done, duration))
			if err := s.turn(ctx, data, length, turn); err != nil {
				return err
			}
		}
		done += length
	}
	return nil
}

// compare returns a figure for each peer. The first subject is this project's.
func compare(subjects []*subject, missing []error) (figures []figure.Figure) {
	ours := subjects[0]
	for _, s := range subjects[1:] {
		notes := []string{s.describe(), ours.describe()}
		figures = append(figures, figure.AtLeast(
			fmt.Sprintf("requests/s relative to %s: %d clients, %d %% GET, %d KiB", s.name, clients, reads, size>>10),
			ours.result.rate()/s.result.rate(), figure.UnitTimes, s.bar, notes...))
	}
	for _, err := range missing {
		figures[0].Notes = append(figures[0].Notes, err.Error())
	}
	return figures
}

func (s *subject) describe() string {
	return strings.TrimSpace(s.name+" "+s.version) + ": " + s.result.String() + "; " + s.durability
}
