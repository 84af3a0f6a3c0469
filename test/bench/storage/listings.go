package storage

import (
	"context"
	"fmt"

	"github.com/cosi-emu/cosi-emu/test/bench/figure"
	"github.com/cosi-emu/cosi-emu/test/bench/workload"
)

const (
	// barGroups is in milliseconds.
	barGroups = 10
	// barList is for the store, without the client.
	barList = 1.0 / 3
	// barDecodedList is for the SDK, which takes most of the time: it decodes two elements of
	// each object more than with gofakes3, the algorithm and the type of its checksum.
	barDecodedList = 1.4
)

// measureListings lists many keys that have a few prefixes.
func measureListings(ctx context.Context, load Load, progress func(string)) ([]figure.Figure, error) {
	groups := func(ctx context.Context, s *workload.Subject) error {
		found, err := s.Groups(ctx)
		if want := min(load.Objects, workload.Prefixes); err == nil && len(found) != want {
			err = fmt.Errorf("there are %d prefixes, want %d", len(found), want)
		}
		return err
	}
	all := func(count func(*workload.Subject, context.Context) (int, error)) func(context.Context, *workload.Subject) error {
		return func(ctx context.Context, s *workload.Subject) error {
			found, err := count(s, ctx)
			if err == nil && found != load.Objects {
				err = fmt.Errorf("there are %d keys, want %d", found, load.Objects)
			}
			return err
		}
	}
	return withPair(ctx, workload.Store, workload.Bare, func(p subjects) ([]figure.Figure, error) {
		progress(fmt.Sprintf("%d objects", load.Objects))
		if err := p.each(func(s *workload.Subject) error { return fill(ctx, s, load.Objects, nil) }); err != nil {
			return nil, err
		}
		return p.figures(ctx, load.Rounds, progress,
			subjectTask{name: fmt.Sprintf("list %d prefixes of %d keys", workload.Prefixes, load.Objects), bar: barGroups, isTime: true, do: groups},
			subjectTask{name: fmt.Sprintf("list %d keys", load.Objects), bar: barList, do: all((*workload.Subject).CountPlain)},
			subjectTask{
				name: fmt.Sprintf("list %d keys, with aws-sdk-go-v2 decoding them", load.Objects), bar: barDecodedList,
				do: all((*workload.Subject).Count),
			})
	})
}

// fill stores objects that have the same content.
func fill(ctx context.Context, s *workload.Subject, count int, content []byte) error {
	return workload.Concurrently(ctx, count, func(ctx context.Context, i int) error {
		return s.Put(ctx, workload.Key(i), content)
	})
}
