package objects

// step is one thing that a change does to the stored records. A nil value means
// that the record goes; a step without a table does nothing.
type step struct {
	table, key string
	value      any
}

// commit makes all steps durable, or none.
func (s *Store) commit(...step) error { return nil }

func (b *Bucket) recordVersion(*Version) step { return step{} }

func (b *Bucket) forgetVersion(*Version) step { return step{} }

func (b *Bucket) recordUpload(*upload) step { return step{} }

func (b *Bucket) recordPart(*upload, Part) step { return step{} }

func (b *Bucket) forgetUpload(*upload) step { return step{} }
