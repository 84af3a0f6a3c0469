package node

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/atomicvolume"
	"github.com/cosi-emu/cosi-emu/internal/node/access"
	"github.com/cosi-emu/cosi-emu/internal/node/files"
	"github.com/cosi-emu/cosi-emu/internal/node/volume"
)

// answerTime is the part of the kubelet's deadline that is left for the answer.
const answerTime = 2 * time.Second

// publish gives a Pod its files. If that fails for a new volume, it leaves nothing behind, or returns an error after
// which the kubelet calls NodeUnpublishVolume.
func (s *service) publish(ctx context.Context, wanted *publishRequest) error {
	key := volume.Key(wanted.volumeID)
	record, err := s.records.Load(key)
	if err == nil {
		err = checkSame(record, wanted)
	}
	if err != nil {
		return err
	}
	reader, err := access.NewReader(s.config, wanted.token, s.options.API)
	if err != nil {
		return err
	}
	if done, err := s.republish(ctx, reader, record, wanted); done || err != nil {
		return err
	}
	found, content, err := s.read(ctx, reader, wanted)
	if err != nil {
		return s.abandon(ctx, record, err)
	}
	return s.create(ctx, found, content, wanted)
}

// republish updates the files of a published volume. It returns false if the volume has to be published first. A Pod
// keeps its files while its access is being deleted, or if access or Secret do not exist any more: they do not come back,
// and the Pod may be able to end properly.
func (s *service) republish(
	ctx context.Context, reader *access.Reader, record *volume.Record, wanted *publishRequest,
) (done bool, err error) {
	if record == nil || record.State != volume.Published {
		return false, nil
	}
	if created, err := s.medium.IsCreated(record.Target); err != nil || !created {
		return false, err
	}
	found, err := reader.Get(ctx, wanted.access)
	switch {
	case apierrors.IsNotFound(err), err == nil && (found.IsDeleting() || found.Object.GetUID() != record.UID):
		return true, nil
	case err != nil:
		return true, err
	case !found.Ready:
		return true, &access.NotReadyError{Key: wanted.access, Obstacle: found.Obstacle}
	}
	content, err := s.render(ctx, reader, found, wanted)
	if err != nil {
		return true, client.IgnoreNotFound(err)
	}
	return true, s.update(ctx, found, record, content)
}

// update repairs the mark of a published volume, and replaces its files. It writes only on change.
func (s *service) update(
	ctx context.Context, found *access.Access, record *volume.Record, content map[string]atomicvolume.File,
) error {
	if mark := s.mark(record); !access.Has(found, mark) {
		if _, err := s.marks.Add(ctx, mark); err != nil {
			return err
		}
	}
	_, err := s.write(record.Target, content)
	return err
}

// checkSame rejects another volume by the ID of an existing one.
func checkSame(record *volume.Record, wanted *publishRequest) error {
	if record == nil || record.State == volume.Unpublished {
		return nil
	}
	if record.Target != wanted.target || record.Access != wanted.access.Name || record.PodUID != wanted.podUID {
		return &conflictError{fmt.Sprintf("the volume exists at %s for Pod %s/%s with BucketAccess %s",
			record.Target, record.Namespace, record.Pod, record.Access)}
	}
	return nil
}

// read waits until the access is ready, and returns its files.
func (s *service) read(
	ctx context.Context, reader *access.Reader, wanted *publishRequest,
) (*access.Access, map[string]atomicvolume.File, error) {
	limit := time.Now().Add(s.options.ReadyTimeout)
	if deadline, ok := ctx.Deadline(); ok && deadline.Add(-answerTime).Before(limit) {
		limit = deadline.Add(-answerTime)
	}
	waiting, cancel := context.WithDeadline(ctx, limit)
	defer cancel()
	found, err := reader.WaitReady(waiting, wanted.access)
	if err != nil {
		return nil, nil, err
	}
	content, err := s.render(ctx, reader, found, wanted)
	return found, content, err
}

// render returns the files of a volume. Those of several buckets are in directories with the names of their claims.
func (s *service) render(
	ctx context.Context, reader *access.Reader, found *access.Access, wanted *publishRequest,
) (map[string]atomicvolume.File, error) {
	buckets, err := selectBuckets(found, wanted)
	if err != nil {
		return nil, err
	}
	content := map[string]atomicvolume.File{}
	for _, bucket := range buckets {
		secret, err := reader.Secret(ctx, client.ObjectKey{Namespace: wanted.access.Namespace, Name: bucket.Secret})
		if err != nil {
			return nil, err
		}
		rendered, err := files.Bucket(secret, found.Object.GetUID())
		if err != nil {
			return nil, err
		}
		prefix := ""
		if len(buckets) > 1 {
			prefix = bucket.Claim + "/"
		}
		for path, data := range rendered {
			content[prefix+path] = atomicvolume.File{Data: data, Mode: wanted.mode, GID: wanted.gid}
		}
	}
	return content, nil
}

func selectBuckets(found *access.Access, wanted *publishRequest) ([]access.Bucket, error) {
	if wanted.claim == "" {
		return found.Buckets, nil
	}
	for _, bucket := range found.Buckets {
		if bucket.Claim == wanted.claim {
			return []access.Bucket{bucket}, nil
		}
	}
	return nil, &invalidError{fmt.Sprintf("volumeAttributes.%s %q: BucketAccess %s has no such BucketClaim",
		AttributeClaim, wanted.claim, wanted.access)}
}

// create makes a new volume. The record comes first: without it, a crash would leave a mark that no component removes
// while the Pod exists, or a directory with credentials.
func (s *service) create(ctx context.Context, found *access.Access, content map[string]atomicvolume.File, wanted *publishRequest) error {
	record := &volume.Record{
		VolumeID: wanted.volumeID, Target: wanted.target, State: volume.Publishing,
		Access: wanted.access.Name, UID: found.Object.GetUID(),
		Namespace: wanted.access.Namespace, Pod: wanted.pod, PodUID: wanted.podUID,
	}
	if err := s.replaceRecord(ctx, record); err != nil {
		return err
	}
	err := s.fill(ctx, record, content)
	if err == nil {
		record.State = volume.Published
		err = s.records.Save(record)
	}
	if err == nil {
		return nil
	}
	return s.abandon(ctx, record, err)
}

// abandon removes what exists of a volume that cannot be published for an error, which it returns.
func (s *service) abandon(ctx context.Context, record *volume.Record, err error) error {
	if record == nil {
		return err
	}
	if left := s.remove(ctx, record); left != nil {
		return &uncertainError{errors.Join(err, left)}
	}
	return err
}

// replaceRecord saves the record of a new volume. An unfinished earlier volume of that ID may have marked an access that
// was deleted and created again since.
func (s *service) replaceRecord(ctx context.Context, record *volume.Record) error {
	earlier, err := s.records.Load(volume.Key(record.VolumeID))
	if err != nil {
		return err
	}
	if earlier != nil && (earlier.UID != record.UID || earlier.Target != record.Target) {
		if err := s.remove(ctx, earlier); err != nil {
			return err
		}
	}
	return s.records.Save(record)
}

// fill marks the access, and makes directory and files.
func (s *service) fill(ctx context.Context, record *volume.Record, content map[string]atomicvolume.File) error {
	deleting, err := s.marks.Add(ctx, s.mark(record))
	name := types.NamespacedName{Namespace: record.Namespace, Name: record.Access}
	switch {
	case err != nil && access.IsVanished(err), err == nil && deleting:
		return &access.NotReadyError{Key: name, Obstacle: "it is being deleted"}
	case err != nil:
		return err
	}
	if err := s.medium.Create(record.Target); err != nil {
		return err
	}
	_, err = s.write(record.Target, content)
	return err
}

func (s *service) mark(record *volume.Record) access.Mark {
	return access.Mark{
		Access: client.ObjectKey{Namespace: record.Namespace, Name: record.Access}, UID: record.UID, Volume: volume.Key(record.VolumeID),
		User: v1alpha2.VolumeUser{Node: s.options.NodeName, Pod: record.Pod, PodUID: record.PodUID},
	}
}
