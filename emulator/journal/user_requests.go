package journal

import "slices"

// maxUserRequests is how many requests of users are remembered.
const maxUserRequests = 4096

// AddUserRequest remembers a request of a user that has crossed no seam, such as that of a
// step of a scenario. It is no event of the journal: only oracles read it. Its number is
// that of the last event before it.
func (j *Journal) AddUserRequest(e Event) {
	e = j.redact(e, 0)
	j.mu.Lock()
	defer j.mu.Unlock()
	e.Seq = j.seq
	if len(j.requests) == maxUserRequests {
		j.requests = slices.Delete(j.requests, 0, maxUserRequests/2)
	}
	j.requests = append(j.requests, e)
}

// UserRequests returns the remembered requests of users after an event, in order.
func (j *Journal) UserRequests(seq uint64) []Event {
	j.mu.Lock()
	defer j.mu.Unlock()
	var found []Event
	for _, e := range j.requests {
		if e.Seq >= seq {
			found = append(found, j.redact(e, 0))
		}
	}
	return found
}
