// Package kv keeps documents in KV buckets of NATS JetStream, each kind in a file of its own. All but leases are JSON.
// `scorelay setup` creates the buckets:
//
//	LANES     roster · paused · topup (package topup)
//	LEASES    lane.N · replica.NAME · names of Leases.Lead · report.ROLE.NAME · audit
//	PROJECTS  64 hex digits of a project's id · checkpoint
//	BACKLOG   N, a lane
//	NOTICES   FROM.TO, two lanes
//	HALT, KEYS, WEBHOOKS, WEBHOOKSTATES: packages halt, apikey and webhook
//
// A Map has documents of one type, a Doc is a single one. Update changes a document by compare-and-set. A View keeps
// a Map in memory: a watch replays all stored entries, then delivers each change. A watch begins again when it fails,
// and as soon as NATS is connected again, since the client itself takes many seconds to notice that a consumer died
// with its server. So no change is missed, and entries absent from a replay are gone.
//
// In a cluster, the copy of the bucket on a watch's server may lag behind the leader. So a replay ends when it has
// delivered all that the leader held at its start. Until then, a View keeps newer entries over older ones.
package kv
