package score

import "hash/fnv"

// Bucket is a hash partition of the projects, with their creations and updates. One lane owns it at a time.
type Bucket uint8

// Buckets is the number of buckets. Journals depend on it: another number separates projects from their lanes.
const Buckets = 256

// BucketOf returns a project's bucket: FNV-1a-32 of its id, modulo Buckets.
func BucketOf(p ProjectID) Bucket {
	h := fnv.New32a()
	_, _ = h.Write(p[:])
	return Bucket(h.Sum32() % Buckets)
}

// BucketOfMessage returns the bucket of the corrupt message at sequence seq, which has no known project.
func BucketOfMessage(seq uint64) Bucket { return Bucket(seq % Buckets) }

// FirstOwner returns a bucket's owner in a new deployment of that many lanes. Later owners are in the lanes'
// journals.
func FirstOwner(b Bucket, lanes int) Lane { return Lane(int(b) % lanes) }
