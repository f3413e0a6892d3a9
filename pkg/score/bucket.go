package score

import "hash/fnv"

// Bucket is a hash share of the projects, owned by one lane at a time: all updates of a project, and its creation, are in
// one bucket.
type Bucket uint8

// Buckets is how many there are. It is part of what the journals say: another number would tear projects from their lanes.
const Buckets = 256

// BucketOf tells the bucket of a project: FNV-1a-32 of its id, modulo Buckets.
func BucketOf(p ProjectID) Bucket {
	h := fnv.New32a()
	_, _ = h.Write(p[:])
	return Bucket(h.Sum32() % Buckets)
}

// BucketOfMessage is the bucket of a message that cannot be read, and so tells no project.
func BucketOfMessage(seq uint64) Bucket { return Bucket(seq % Buckets) }

// FirstOwner is the lane that owns a bucket when a deployment begins with so many lanes. From then on the lanes' journals
// say who does.
func FirstOwner(b Bucket, lanes int) Lane { return Lane(int(b) % lanes) }
