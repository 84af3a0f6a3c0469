// Package shard divides an exploration between machines, and stores which cases are completed.
package shard
