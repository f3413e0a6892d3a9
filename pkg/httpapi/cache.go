package httpapi

import "sync"

// cache remembers at least the limit most recently used entries and at most twice as many: a full young generation
// becomes the old one, and what is asked for there comes back. Safe for concurrent use.
type cache[K comparable, V any] struct {
	mu         sync.Mutex
	limit      int
	young, old map[K]V
}

func newCache[K comparable, V any](limit int) *cache[K, V] {
	return &cache[K, V]{limit: limit, young: map[K]V{}}
}

func (c *cache[K, V]) get(key K) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if value, ok := c.young[key]; ok {
		return value, true
	}
	value, ok := c.old[key]
	if ok {
		c.keep(key, value)
	}
	return value, ok
}

// ensure is get, of what fresh returns if there is nothing. fresh runs under the cache's lock.
func (c *cache[K, V]) ensure(key K, fresh func() V) V {
	c.mu.Lock()
	defer c.mu.Unlock()
	if value, ok := c.young[key]; ok {
		return value
	}
	value, ok := c.old[key]
	if !ok {
		value = fresh()
	}
	c.keep(key, value)
	return value
}

func (c *cache[K, V]) put(key K, value V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keep(key, value)
}

func (c *cache[K, V]) keep(key K, value V) {
	if len(c.young) >= c.limit {
		c.old, c.young = c.young, make(map[K]V, c.limit)
	}
	c.young[key] = value
}
