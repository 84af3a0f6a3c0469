package azure

import (
	"net/http"
	"strings"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure/failure"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

const snapshotForm = "2006-01-02T15:04:05.0000000Z"

// snapshot stores the current blob as a snapshot.
func (s *Service) snapshot(x *exchange) error {
	given, err := x.metadata()
	if err != nil {
		return err
	}
	var id string
	added, err := x.bucket.Modify(x.target.blob, func(all []*objects.Version) (m objects.Modification, err error) {
		found, err := versionsOf(all)
		if err != nil {
			return m, err
		}
		if found.base == nil {
			return m, failure.ErrNoBlob
		}
		if err := s.checkSnapshot(x, found.base); err != nil {
			return m, err
		}
		if err := found.base.checkOnline(); err != nil {
			return m, err
		}
		id = nextSnapshot(s.now(), found.snapshots)
		base, shot := found.base.draft(), found.base.draft()
		base.modified, shot.modified = found.base.Modified(), found.base.Modified()
		shot.Lease = leaseState{}
		if len(given) > 0 {
			shot.Attributes.Metadata = given
			s.touch(&shot)
		}
		for id, d := range map[string]draft{id: shot, baseID: base} {
			made, err := d.stored(id)
			if err != nil {
				return m, err
			}
			m.Add = append(m.Add, made)
		}
		if m.Add[0].ID == baseID { // the base is the latest
			m.Add[0], m.Add[1] = m.Add[1], m.Add[0]
		}
		m.Remove = all[:1]
		return m, nil
	})
	if err != nil {
		return err
	}
	made, err := blobOf(added[0])
	if err != nil {
		return err
	}
	x.describe(made)
	x.set("X-Ms-Snapshot", id)
	x.set("X-Ms-Request-Server-Encrypted", "false")
	x.W.WriteHeader(http.StatusCreated)
	return nil
}

// checkSnapshot checks the conditions. A lease is checked only if the request names one.
func (s *Service) checkSnapshot(x *exchange, b *blob) error {
	if err := x.checkConditions(b); err != nil {
		return err
	}
	if x.lease != "" {
		return b.Lease.allows(x.lease, s.now())
	}
	return nil
}

// nextSnapshot returns a time later than every snapshot.
func nextSnapshot(now time.Time, snapshots []*objects.Version) string {
	const tick = 100 * time.Nanosecond
	if len(snapshots) > 0 {
		if last, err := time.Parse(snapshotForm, snapshots[0].ID); err == nil && !now.Truncate(tick).After(last) {
			now = last.Add(tick)
		}
	}
	return now.UTC().Format(snapshotForm)
}

// remove deletes a blob, a snapshot, or both.
func (s *Service) remove(x *exchange) error {
	which, id := strings.ToLower(x.header("X-Ms-Delete-Snapshots")), x.Query.Get("snapshot")
	switch {
	case which != "" && which != "include" && which != "only":
		return failure.ErrInvalidHeader.Because("The value of x-ms-delete-snapshots must be include or only.")
	case id != "" && which != "":
		return failure.ErrInvalidQuery.Because("A snapshot is deleted without the header x-ms-delete-snapshots.")
	}
	_, err := x.bucket.Modify(x.target.blob, func(all []*objects.Version) (m objects.Modification, err error) {
		found, err := versionsOf(all)
		if err != nil {
			return m, err
		}
		if id != "" {
			return s.removal(x, found, id)
		}
		m, err = s.removalOfBlob(x, found, which)
		if err == nil && which != "only" {
			m.Remove, m.EndUpload = all, blocksID(x.target.blob)
		}
		return m, err
	})
	if err != nil {
		return err
	}
	x.set("X-Ms-Delete-Type-Permanent", "true")
	x.W.WriteHeader(http.StatusAccepted)
	return nil
}

// removalOfBlob returns the modification that deletes the snapshots of a blob, unless the blob is
// deleted with them.
func (s *Service) removalOfBlob(x *exchange, found versions, which string) (m objects.Modification, err error) {
	if found.base == nil {
		return m, failure.ErrNoBlob
	}
	if err := s.checkWrite(x, found.base); err != nil {
		return m, err
	}
	if which == "" && len(found.snapshots) > 0 {
		return m, failure.ErrSnapshots
	}
	m.Remove = found.snapshots
	return m, nil
}

func (s *Service) removal(x *exchange, found versions, id string) (m objects.Modification, err error) {
	for _, v := range found.snapshots {
		if v.ID != id {
			continue
		}
		b, err := blobOf(v)
		if err != nil {
			return m, err
		}
		m.Remove = []*objects.Version{v}
		return m, x.checkConditions(b)
	}
	return m, failure.ErrNoBlob
}
