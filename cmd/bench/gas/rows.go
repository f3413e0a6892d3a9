package gas

// row is a measured workload: batches of equally many updates, which all apply.
type row struct {
	key     string
	promise uint64 // upper bound of gas per update, under osaka, if any

	updates  int // per batch
	hits     int // updates per wallet in a batch
	projects int
	signers  int // per project
	ids      style
	fresh    bool // all wallets are new
	signed   bool // in signed groups
}

type style int

const (
	consecutive style = iota // ids count up as the SDK's, one stream per project and signer
	random                   // 32 random bytes
	subset                   // a batch has a random part of a word's ids, the next one another part
)

func plain(key string, promise uint64, updates int, ids style) row {
	return row{key: key, promise: promise, updates: updates, hits: 1, projects: 1, signers: 1, ids: ids}
}

func (r row) onFresh() row           { r.fresh = true; return r }
func (r row) hitting(times int) row  { r.hits = times; return r }
func (r row) inSigned() row          { r.signed = true; return r }
func (r row) overProjects(n int) row { r.projects = n; return r }
func (r row) bySigners(n int) row    { r.signers = n; return r }

func rows() []row {
	return []row{
		plain("existing_consecutive_100", 6_600, 100, consecutive),
		plain("existing_consecutive_500", 6_250, 500, consecutive),
		plain("fresh_consecutive_100", 23_800, 100, consecutive).onFresh(),
		plain("fresh_consecutive_500", 23_450, 500, consecutive).onFresh(),
		plain("existing_random_100", 29_500, 100, random),
		plain("existing_random_500", 29_100, 500, random),
		plain("hot_consecutive_100", 2_250, 100, consecutive).hitting(10),
		plain("hot_consecutive_500", 1_900, 500, consecutive).hitting(10),
		plain("signed_existing_100", 6_800, 100, consecutive).inSigned(),
		plain("signed_existing_500", 6_350, 500, consecutive).inSigned(),
		plain("groups25_existing_100", 10_000, 100, consecutive).overProjects(25),

		plain("existing_consecutive_1", 0, 1, consecutive),
		plain("existing_consecutive_10", 0, 10, consecutive),
		plain("fresh_consecutive_1", 0, 1, consecutive).onFresh(),
		plain("fresh_consecutive_10", 0, 10, consecutive).onFresh(),
		plain("existing_random_1", 0, 1, random),
		plain("existing_random_10", 0, 10, random),
		plain("fresh_random_100", 0, 100, random).onFresh(),
		plain("existing_subset_100", 0, 100, subset),
		plain("hot_random_100", 0, 100, random).hitting(10),
		plain("signed_hot_100", 0, 100, consecutive).inSigned().hitting(10),
		plain("signers5_existing_100", 0, 100, consecutive).bySigners(5),
	}
}

const (
	wordIDs       = 256 // ids of a word
	randomBatches = 8   // few, since their gas differs only by occasional zero bytes
	subsetBatches = 32
)

// batches returns the number of measured batches. With consecutive ids, they fill whole words, so that a word's gas
// is shared by all its ids.
func (r row) batches() int {
	switch r.ids {
	case random:
		return randomBatches
	case subset:
		return subsetBatches
	}
	stream := r.updates / r.projects / r.signers // ids of a batch in one stream
	n := wordIDs
	for n%2 == 0 && stream%2 == 0 {
		n, stream = n/2, stream/2
	}
	return n
}
