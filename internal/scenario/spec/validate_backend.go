package spec

// backend checks that the step inspects or changes something, and names the place.
func (v *validation) backend(s *Step, _ map[string]bool) {
	b := s.Backend
	looks := len(b.Buckets)+len(b.Objects)+len(b.Accounts)+len(b.Policies) > 0 || b.Only
	changes := !b.CreateBucket.IsZero() || !b.DeleteBucket.IsZero() || !b.DeleteAccount.IsZero() ||
		b.Put != nil || b.DeleteObject != nil || b.SetPolicy != nil
	if !looks && !changes {
		v.decoder.fail(s.Position, "backend requires something to look at, such as buckets or only, or to change, such as createBucket")
	}
	if b.Put != nil {
		v.place(s, "put", b.Put.Bucket, b.Put.Key)
	}
	if b.DeleteObject != nil {
		v.place(s, "deleteObject", b.DeleteObject.Bucket, b.DeleteObject.Key)
	}
	if b.SetPolicy != nil {
		v.policy(s, b.SetPolicy)
	}
}

func (v *validation) place(s *Step, what string, bucket, key Text) {
	if bucket.Source() == "" || key.Source() == "" {
		v.decoder.fail(s.Position, "%s requires a bucket and a key", what)
	}
}

func (v *validation) policy(s *Step, p *Policy) {
	if p.Bucket.Source() == "" || p.Account.Source() == "" {
		v.decoder.fail(s.Position, "setPolicy requires a bucket and an account")
	}
	modes := []string{p.ObjectData, p.ObjectMetadata, p.BucketMetadata}
	v.decoder.oneOf(s.Position, "access mode", modes, "", "ReadWrite", "ReadOnly", "WriteOnly")
}
