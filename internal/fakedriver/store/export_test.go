package store

import "net/http"

// Authenticate lets the fuzz targets ask who a request is from, and nothing else.
func (s *Store) Authenticate(r *http.Request) error {
	x := &exchange{r: r}
	if err := s.parse(x); err != nil {
		return err
	}
	return s.authenticate(x)
}
