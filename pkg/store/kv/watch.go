package kv

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/retry"
)

const (
	rewatchAfter = 500 * time.Millisecond
	allQuiet     = 10 * time.Second // for the next entry of a replay
	lookAgain    = time.Second      // checks for a replay's awaited entry
)

var (
	errEnded       = errors.New("the client ended the watch")
	errReconnected = errors.New("NATS was away")
	errAgain       = errors.New("the watch does not show what was written")
	errBehind      = fmt.Errorf("the server that answers has not all that is stored, and told nothing for %s", allQuiet)
)

// event is an entry as written or deleted. If entry is nil, a replay begins (begin) or is complete.
type event struct {
	entry jetstream.KeyValueEntry
	begin bool
	asked time.Time // with begin: the replay covers all of the leader until then
}

// watch passes on the stored entries whose keys match a pattern, then each change, until ctx ends, and returns ctx's
// error. After a failure, or a receive from again, it restarts with another replay.
func (b bucket) watch(ctx context.Context, keys string, log *slog.Logger, again <-chan struct{}, see func(event)) error {
	for {
		err := b.watchOnce(ctx, keys, again, see)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, errReconnected):
			log.Info("NATS is back; watching the bucket again", "bucket", b.name)
			continue
		}
		log.Warn("the watch of a bucket failed; keeping what is known and watching again", "bucket", b.name,
			"err", err, "again_in", rewatchAfter)
		if err := retry.Sleep(ctx, rewatchAfter); err != nil {
			return err
		}
	}
}

func (b bucket) watchOnce(ctx context.Context, keys string, again <-chan struct{}, see func(event)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	reconnected := b.js.Conn().StatusChanged(nats.CONNECTED)
	defer b.js.Conn().RemoveStatusListener(reconnected)
	r, err := b.replay(ctx, keys)
	if err != nil {
		return err
	}
	defer r.stop()
	see(event{begin: true, asked: r.asked})
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-reconnected:
			return errReconnected
		case <-again:
			return errAgain
		case <-r.look.C:
			if err := r.lookAgain(ctx); err != nil {
				return err
			}
		case entry, ok := <-r.watcher.Updates():
			if !ok {
				return errEnded
			}
			if r.news(entry) {
				see(event{entry: entry})
			}
		}
		if r.ends() {
			see(event{})
		}
	}
}

// each calls fn for each stored entry whose key matches a pattern. It ends with the first error of fn, or after
// allQuiet without a message.
func (b bucket) each(ctx context.Context, keys string, fn func(jetstream.KeyValueEntry) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r, err := b.replay(ctx, keys)
	if err != nil {
		return err
	}
	defer r.stop()
	for !r.ends() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-r.look.C:
			if err := r.lookAgain(ctx); err != nil {
				return err
			}
			if time.Since(r.heard) > allQuiet {
				return fmt.Errorf("couldn't read the bucket %s: NATS sent nothing for %s", b.name, allQuiet)
			}
		case entry, ok := <-r.watcher.Updates():
			if !ok {
				return errEnded
			}
			if !r.news(entry) || entry.Operation() != jetstream.KeyValuePut {
				continue
			}
			if err := fn(entry); err != nil {
				return err
			}
		}
	}
	return nil
}

// replay is a watch that detects its completion.
type replay struct {
	bucket  bucket
	keys    string
	asked   time.Time // before the leader's end was read
	watcher jetstream.KeyWatcher
	look    *time.Ticker
	heard   time.Time // of the last entry
	highest uint64    // revision delivered
	goal    uint64    // newest revision of the leader
	caught  bool      // the watch's server delivered everything that it has
	whole   bool
}

func (b bucket) replay(ctx context.Context, keys string) (*replay, error) {
	r := &replay{bucket: b, keys: keys, asked: time.Now(), heard: time.Now()}
	var err error
	if r.goal, err = b.newest(ctx, keys); err != nil {
		return nil, err
	}
	if r.watcher, err = b.kv.Watch(ctx, keys); err != nil {
		return nil, fmt.Errorf("couldn't watch the bucket %s: %w", b.name, err)
	}
	r.look = time.NewTicker(lookAgain)
	return r, nil
}

func (r *replay) stop() {
	r.look.Stop()
	_ = r.watcher.Stop()
}

// newest returns the leader's newest revision of a key that matches a pattern, or 0.
func (b bucket) newest(ctx context.Context, keys string) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	var msg *jetstream.RawStreamMsg
	s, err := b.js.Stream(ctx, b.stream())
	if err == nil {
		// Rejected: the bare subject ">", for which a server looks only at the last sequence, which may be deleted.
		msg, err = s.GetLastMsgForSubject(ctx, b.subject(keys))
	}
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("couldn't find the newest entry of the bucket %s: %w", b.name, err)
	}
	return msg.Sequence, nil
}

// news records an entry, and reports whether it is new: a recreated consumer on a lagging server repeats entries.
func (r *replay) news(entry jetstream.KeyValueEntry) bool {
	r.heard = time.Now()
	if entry == nil {
		r.caught = true
		return false
	}
	if entry.Revision() <= r.highest {
		return false
	}
	r.highest = entry.Revision()
	return true
}

// ends reports once that the replay is complete.
func (r *replay) ends() bool {
	if r.whole || !r.caught || r.highest < r.goal {
		return false
	}
	r.whole = true
	return true
}

// lookAgain reads the goal again if less was delivered, since the awaited entry may be deleted.
func (r *replay) lookAgain(ctx context.Context) (err error) {
	if r.whole || !r.caught {
		return nil
	}
	if time.Since(r.heard) > allQuiet {
		return errBehind
	}
	r.goal, err = r.bucket.newest(ctx, r.keys)
	return err
}
