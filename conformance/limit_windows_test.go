package conformance_test

import "errors"

func limitFiles(uint64) error { return errors.New("windows does not limit the files of a process") }
