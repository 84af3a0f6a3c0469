package administration

import "context"

// Freeze waits for the running change of buckets and accounts. Later changes wait until thaw is
// called, which must be called once.
func (a *Administrator) Freeze(ctx context.Context) (thaw func(), err error) {
	if err := a.enter(ctx); err != nil {
		return nil, err
	}
	return a.leave, nil
}
