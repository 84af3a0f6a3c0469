package journal

// userRequestsShare is the divisor for the part of the journal's memory that the requests of users
// may use.
const userRequestsShare = 4

// AddUserRequest remembers a user's request that has crossed no seam, such as a request of a
// scenario's step. It is no event of the journal: only oracles read it. Its number is the number of
// the last event before it.
func (j *Journal) AddUserRequest(e Event) {
	e = j.redact(e, 0)
	j.mu.Lock()
	defer j.mu.Unlock()
	e.Seq = j.seq
	j.requests = append(j.requests, e)
	j.requestBytes += size(e)
	drop := 0
	for ; j.requestBytes > j.opts.MaxBytes/userRequestsShare && drop < len(j.requests)-1; drop++ {
		j.requestBytes -= size(j.requests[drop])
		j.requests[drop] = Event{}
	}
	j.requests = j.requests[drop:]
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
