package description

// Image maps the images of containers that match a pattern to a command of this machine.
type Image struct {
	// Pattern matches the name of an image, with or without its tag or digest, and without docker.io/ or
	// docker.io/library/. In it, * is any number of any characters.
	Pattern string
	// Command is the program, as the entrypoint of the image, and its default arguments. It is empty for an image
	// without entrypoint.
	Command []string
}
