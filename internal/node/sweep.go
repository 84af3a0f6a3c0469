package node

import (
	"context"
	"errors"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/cosi-emu/cosi-emu/internal/node/access"
	"github.com/cosi-emu/cosi-emu/internal/node/volume"
)

// sweepJitter spreads the requests of many nodes.
const sweepJitter = 0.2

// sweepRegularly sweeps until ctx ends.
func (s *service) sweepRegularly(ctx context.Context) error {
	wait.JitterUntilWithContext(ctx, func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, max(s.options.SweepInterval, time.Minute))
		defer cancel()
		if err := s.sweep(ctx); err != nil && ctx.Err() == nil {
			s.log.Error(err, "sweep again later")
		}
	}, s.options.SweepInterval, sweepJitter, true)
	return nil
}

// sweep removes the volumes of Pods that have gone without a NodeUnpublishVolume, and the marks without a volume.
func (s *service) sweep(ctx context.Context) error {
	return errors.Join(s.sweepVolumes(ctx), s.sweepMarks(ctx))
}

// sweepVolumes removes what is left of unpublished volumes, and the volumes of Pods that have gone.
func (s *service) sweepVolumes(ctx context.Context) error {
	records, err := s.records.List()
	errs := []error{err}
	for _, record := range records {
		errs = append(errs, s.exclusively(volume.Key(record.VolumeID), func(current *volume.Record) error {
			if current == nil {
				return nil
			}
			if current.State != volume.Unpublished {
				pod := types.NamespacedName{Namespace: current.Namespace, Name: current.Pod}
				if gone, err := s.marks.IsPodGone(ctx, pod, current.PodUID); err != nil || !gone {
					return err
				}
				s.log.Info("remove the volume of a Pod that has gone", "pod", pod, "volume", current.VolumeID)
			}
			return s.remove(ctx, current)
		}))
	}
	return errors.Join(errs...)
}

// sweepMarks removes marks of this node without a record: records are written before marks, and deleted after them. Of
// other nodes, which may have gone, it removes the marks of gone Pods from accesses that wait for their deletion.
func (s *service) sweepMarks(ctx context.Context) error {
	marks, err := s.marks.List(ctx)
	errs := []error{err}
	for _, mark := range marks {
		switch {
		case mark.User.Node == s.options.NodeName:
			errs = append(errs, s.exclusively(mark.Volume, func(current *volume.Record) error {
				if current != nil {
					return nil
				}
				return s.marks.Remove(ctx, mark)
			}))
		case mark.Deleting:
			errs = append(errs, s.sweepForeign(ctx, mark))
		}
	}
	return errors.Join(errs...)
}

func (s *service) sweepForeign(ctx context.Context, mark access.Mark) error {
	pod := types.NamespacedName{Namespace: mark.Access.Namespace, Name: mark.User.Pod}
	gone, err := s.marks.IsPodGone(ctx, pod, mark.User.PodUID)
	if err != nil || !gone {
		return err
	}
	s.log.Info("release an access of a Pod that has gone", "pod", pod, "node", mark.User.Node, "access", mark.Access)
	return s.marks.Remove(ctx, mark)
}

// exclusively calls do with the record of a volume, or nil, unless an RPC about the volume is in flight.
func (s *service) exclusively(key string, do func(*volume.Record) error) error {
	end, err := s.busy.begin(key)
	if err != nil {
		return nil // the next sweep finds it again
	}
	defer end()
	record, err := s.records.Load(key)
	if err != nil {
		return err
	}
	return do(record)
}
