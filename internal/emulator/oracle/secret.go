package oracle

import "fmt"

// secretLeaks reports secrets outside of Secrets.
func secretLeaks(e *evidence) []Finding {
	var found []Finding
	for _, s := range e.SecretLeaks {
		f := Finding{
			Subject: s.Place,
			Message: fmt.Sprintf("the secret of account %q is in %s", s.Account, s.Place),
		}
		if s.Event != 0 {
			f.Events = []uint64{s.Event}
		}
		found = append(found, f)
	}
	return found
}
