package score

import "hash/fnv"

// Bucket is a hash partition of the projects. One lane owns it at a time.
type Bucket uint8

// Buckets must stay the same, since journals contain bucket numbers: another value moves projects to other lanes.
const Buckets = 256

func BucketOf(p ProjectID) Bucket {
	h := fnv.New32a()
	_, _ = h.Write(p[:])
	return Bucket(h.Sum32() % Buckets)
}

// BucketOfMessage is for a corrupt message, which has no known project.
func BucketOfMessage(seq uint64) Bucket { return Bucket(seq % Buckets) }

// FirstOwner returns a bucket's owner in a new deployment. Later owners are in the lanes' journals.
func FirstOwner(b Bucket, lanes int) Lane { return Lane(int(b) % lanes) }
