package sigv4

// Kept counts the cached keys.
func (k *Keys) Kept() (count int) {
	if recent := k.recent.Load(); recent != nil {
		for _, kept := range recent {
			if kept.scope != (Scope{}) {
				count++
			}
		}
	}
	return count
}

// MaxKeys is the maximum number of cached keys.
const MaxKeys = maxKeys

// Canonical returns the canonical request.
func (r Request) Canonical(scheme Scheme) string { return string(r.append(nil, scheme)) }
