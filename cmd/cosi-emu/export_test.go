package main

// Run is the whole program, for a test binary that was started under the program's name.
var Run = run
