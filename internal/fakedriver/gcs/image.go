package gcs

// Image is what the service held at one moment. Unfinished uploads are not part of it, as
// they are not of Options.Dir.
type Image struct{ objects []*object }

// Freeze waits for the running changes, and returns the objects. Later requests wait until
// thaw is called, which must be called once. A caller that freezes the store, too, does so
// afterwards.
func (s *Service) Freeze() (image *Image, thaw func()) {
	s.lock.Lock()
	image = &Image{}
	for _, bucket := range s.contents {
		for _, o := range bucket.objects {
			image.objects = append(image.objects, o)
		}
	}
	return image, s.lock.Unlock
}

// Size returns the number of the objects, and of their bytes.
func (i *Image) Size() (objects int, bytes int64) {
	for _, o := range i.objects {
		bytes += o.Size
	}
	return len(i.objects), bytes
}

// Write writes the image to a directory, for Options.Dir.
func (i *Image) Write(dir string) error {
	files := objectFiles{dir}
	for _, o := range i.objects {
		if err := files.put(o); err != nil {
			return err
		}
	}
	return nil
}
