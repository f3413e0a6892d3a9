package httpapi

import "net/http"

// Code is an entry of the API's table of errors.
type Code struct {
	Name   string
	Status int
	Title  string // the problem's title, fixed
	Advice string // what callers should do
}

// Names of codes are stable; new ones may be added.
var (
	codeMalformedRequest   = Code{"malformed_request", http.StatusBadRequest, "The request is not valid HTTP", "Correct the request line, headers or body framing."}
	codeMalformedJSON      = Code{"malformed_json", http.StatusBadRequest, "The body is not a JSON object", "Send one JSON object, in UTF-8, and nothing after it."}
	codeInvalidBody        = Code{"invalid_body", http.StatusBadRequest, "Fields of the body are invalid", "Correct the fields in `errors`; each is named by a JSON pointer."}
	codeInvalidPath        = Code{"invalid_path", http.StatusBadRequest, "Malformed id or address in the path", "Ids are 0x and 64 hex digits, wallets 0x and 40."}
	codeInvalidQuery       = Code{"invalid_query", http.StatusBadRequest, "A parameter behind the question mark is invalid", "Correct the parameter that `detail` names."}
	codeMessageTooOld      = Code{"message_too_old", http.StatusBadRequest, "The message was signed too long ago", "Sign the current time in milliseconds, and send the request within five minutes (the default). What was sent before keeps its updateId, since it may be stored."}
	codeMessageInFuture    = Code{"message_in_future", http.StatusBadRequest, "The message's time is in the future", "Correct the signer's clock; sign the time in milliseconds."}
	codeBadSignature       = Code{"bad_signature", http.StatusBadRequest, "Malformed signature", "Sign a message with personal_sign, a group with EIP-712: 65 bytes, v 27 or 28 (or 0 or 1), low s. (The outcome of this name: a group's signature was not its signer's.)"}
	codeUnknownProject     = Code{"unknown_project", http.StatusBadRequest, "The project does not exist", "Check the projectId, or create the project first."}
	codeUnknownAction      = Code{"unknown_action", http.StatusBadRequest, "The project has no such action", "Use an action of the project: GET /projects/{projectId} lists them."}
	codeUnknownScoreType   = Code{"unknown_score_type", http.StatusBadRequest, "The project has no such score type", "Use a score type of the project: GET /projects/{projectId} lists them."}
	codeEditExpired        = Code{"edit_expired", http.StatusBadRequest, "The edit's deadline is over, or too near", "Sign again with a later deadline, in seconds. (The outcome of this name: no block had it before its deadline.)"}
	codeMissingAPIKey      = Code{"missing_api_key", http.StatusUnauthorized, "The header X-API-KEY is missing", "Send the API key with every request."}
	codeInvalidAPIKey      = Code{"invalid_api_key", http.StatusUnauthorized, "The API key is unknown or revoked", "Check the key, or ask the operator for a new one."}
	codeExpiredAPIKey      = Code{"expired_api_key", http.StatusUnauthorized, "The API key has expired", "Ask the operator for a new one, or to prolong it."}
	codeSignerNotMember    = Code{"signer_not_member", http.StatusForbidden, "The signer is neither owner nor updater of the project", "Sign with an owner's or updater's wallet; `detail` names the one that was recovered."}
	codeNotOwner           = Code{"signer_not_owner", http.StatusForbidden, "The signer is no owner of the project", "Sign with an owner's wallet; `detail` names the one that was recovered."}
	codeSignedOnly         = Code{"signed_only", http.StatusForbidden, "The project accepts signed groups of updates only", "Sign updates in groups, and send them to POST /update-scores."}
	codeNoRight            = Code{"key_lacks_right", http.StatusForbidden, "The API key does not have the right to this", "Use a key with the right that `detail` names, or ask the operator for it."}
	codeKeysProjects       = Code{"key_other_projects", http.StatusForbidden, "The API key is bound to other projects", "Use a key of this project, or ask the operator to bind it to this one too."}
	codeTimeSignature      = Code{"time_signature", http.StatusForbidden, "The signature covers only the time, which is refused here", "Sign the whole update by EIP-712 and say so in `scheme`, or send signed groups; `detail` says whether it is the key or the project that asks for it."}
	codeCrossOrigin        = Code{"cross_origin", http.StatusForbidden, "The request does not come from a screen of the page", "Load the screen again, and sign in if it asks for that."}
	codeNotFound           = Code{"not_found", http.StatusNotFound, "Unknown path", "Check the path."}
	codeProjectNotFound    = Code{"project_not_found", http.StatusNotFound, "The project does not exist", "Check the projectId."}
	codeUpdateNotFound     = Code{"update_not_found", http.StatusNotFound, "No update with this id was accepted", "Check the updateId, or send the update."}
	codeEditNotFound       = Code{"edit_not_found", http.StatusNotFound, "No edit with this nonce is known", "Check the nonce. What became of an edit is kept for as long as statuses are; GET /projects/{projectId} shows the project as it is final."}
	codeMethodNotAllowed   = Code{"method_not_allowed", http.StatusMethodNotAllowed, "The path does not support this method", "Use a method of the header Allow."}
	codeRequestTimeout     = Code{"request_timeout", http.StatusRequestTimeout, "The request did not arrive in time", "Retry; check the connection."}
	codeProjectExists      = Code{"project_exists", http.StatusConflict, "The projectId is taken", "Choose another projectId: an id belongs to one project forever."}
	codeEditExists         = Code{"edit_exists", http.StatusConflict, "Another edit with this nonce was accepted", "Ask what becomes of it: GET /projects/{projectId}/edits/{nonce}. Then sign again with the next nonce."}
	codeWrongEditNonce     = Code{"wrong_edit_nonce", http.StatusConflict, "Another nonce is the project's next", "Sign again with the one that GET /projects/{projectId}/edits tells. (The outcome of this name: another transaction used the nonce, perhaps for this very edit.)"}
	codeEditWaits          = Code{"edit_waits", http.StatusConflict, "The project's last edit is not final", "Send it again when that one is final; several changes can go in one edit."}
	codeCursorReplaced     = Code{"cursor_replaced", http.StatusGone, "The deployment does not know the cursor any more, and the chain does not have its block", "Drop what you were told, and begin again by `after=start`: what holds comes again, under the same ids where its blocks are the same. Or by `after=now`, if what is missed does not matter."}
	codeBodyTooLarge       = Code{"body_too_large", http.StatusRequestEntityTooLarge, "The body is too large", "Send at most 256 KiB (the default limit); split groups over several requests."}
	codeMediaType          = Code{"unsupported_media_type", http.StatusUnsupportedMediaType, "The content type is not application/json", "Send `Content-Type: application/json`."}
	codeContentEncoding    = Code{"unsupported_encoding", http.StatusUnsupportedMediaType, "The body is compressed", "Send it without Content-Encoding."}
	codeRateLimited        = Code{"rate_limited", http.StatusTooManyRequests, "Too many updates or look-ups with this API key", "Retry after Retry-After seconds; the headers RateLimit-Policy and RateLimit tell what the key may do."}
	codeBudgetSpent        = Code{"budget_spent", http.StatusTooManyRequests, "The API key's budget of today is spent", "Wait for the next day (UTC), or ask the operator for more; Retry-After is an hour at most, since that may happen before. Keep the updateId: after `not_durable` the update may be stored."}
	codeTooManyLookUps     = Code{"too_many_look_ups", http.StatusTooManyRequests, "Too many look-ups with this API key are in progress", "Wait for some of them; ask for many updates at once by POST /look-up-updates."}
	codeTooManyStreams     = Code{"too_many_streams", http.StatusTooManyRequests, "Too many streams of events are open with this API key or from this address", "Close some, or read one stream and share it; retry after Retry-After seconds."}
	codeBacklogFull        = Code{"backlog_full", http.StatusTooManyRequests, "Too many updates of the project wait", "Retry after Retry-After seconds: so long the project's lane needs for what is too much."}
	codeTooManyConnections = Code{"too_many_connections", http.StatusTooManyRequests, "Too many connections from this address or with this key", "Close some, or send more requests over each; retry after Retry-After seconds. Behind a proxy the operator names it as trusted."}
	codeTooManyBodies      = Code{"too_many_bodies", http.StatusTooManyRequests, "Too many bytes of bodies with this API key are in progress", "Send fewer or smaller bodies at once, each without pause; retry after Retry-After seconds."}
	codeHeadersTooLarge    = Code{"headers_too_large", http.StatusRequestHeaderFieldsTooLarge, "The request's headers are too large", "Send fewer or shorter headers."}
	codeInternal           = Code{"internal", http.StatusInternalServerError, "Internal error of the API", "Retry; if it happens again, tell the operator."}
	codeUnknownMethod      = Code{"unknown_method", http.StatusNotImplemented, "The method is unknown", "Use a method of HTTP that the path supports."}
	codeStarting           = Code{"starting", http.StatusServiceUnavailable, "The API is not ready", "Retry after Retry-After seconds."}
	codeKeyUnverified      = Code{"key_unverified", http.StatusServiceUnavailable, "The API cannot verify at present that the key is still valid", "Retry the same request after Retry-After seconds: NATS does not answer this instance of the API."}
	codeShuttingDown       = Code{"shutting_down", http.StatusServiceUnavailable, "This instance of the API is shutting down", "Retry after Retry-After seconds: another instance answers."}
	codeOverloaded         = Code{"overloaded", http.StatusServiceUnavailable, "The API has too many requests in progress", "Retry after Retry-After seconds: about as long as requests take now."}
	codeConnectionsFull    = Code{"connections_full", http.StatusServiceUnavailable, "The API has too many connections", "Retry after Retry-After seconds."}
	codeNotDurable         = Code{"not_durable", http.StatusServiceUnavailable, "The API could not store the request durably in time", "Retry the same request after Retry-After seconds: it takes effect at most once."}
	codeStreamFull         = Code{"stream_full", http.StatusServiceUnavailable, "The stream of accepted updates is full", "Retry the same request after Retry-After seconds."}
	codeHalted             = Code{"halted", http.StatusServiceUnavailable, "Nothing is accepted until the operator decides", "Retry the same request after Retry-After seconds, signed again if its message is too old then; `detail` says why. What was answered 200 before may have to be sent again: the operator tells from when on."}
	codePaused             = Code{"paused", http.StatusServiceUnavailable, "The operator paused accepting, of everything or of the project", "Retry the same request after Retry-After seconds, signed again if its message is too old then; `detail` says why. What was answered 200 before stays accepted."}
	codeUpdateInProgress   = Code{"update_in_progress", http.StatusServiceUnavailable, "Another request with this updateId is in progress", "Retry the same request after Retry-After seconds."}
	codeStatusRebuilding   = Code{"status_rebuilding", http.StatusServiceUnavailable, "Statuses are being restored", "Retry after Retry-After seconds."}
	codeStatusUnavailable  = Code{"status_unavailable", http.StatusServiceUnavailable, "Redis, which holds statuses, is unavailable or full", "Retry after Retry-After seconds."}
	codeIndexRebuilding    = Code{"index_rebuilding", http.StatusServiceUnavailable, "Leaderboards, histories and statistics are being rebuilt", "Retry after Retry-After seconds; `detail` says how far it is. The scores of single wallets are at GET /projects/{projectId}/scores/{wallet} meanwhile."}
	codeIndexUnavailable   = Code{"index_unavailable", http.StatusServiceUnavailable, "Redis, which holds leaderboards, is unavailable", "Retry after Retry-After seconds."}
	codeChainUnavailable   = Code{"chain_unavailable", http.StatusServiceUnavailable, "The chain is unavailable", "Retry after Retry-After seconds."}
	codeHTTPVersion        = Code{"unsupported_http_version", http.StatusHTTPVersionNotSupported, "The version of HTTP is not supported", "Use HTTP/1.1."}
)

// FieldCode is an entry of the table of field errors: the `code` of a member of `errors`.
type FieldCode struct {
	Name    string
	Meaning string
}

var (
	fieldRequired  = FieldCode{"required", "The field is missing or null."}
	fieldUnknown   = FieldCode{"unknown", "There is no such field."}
	fieldDuplicate = FieldCode{"duplicate", "The field appears twice."}
	fieldWrongType = FieldCode{"wrong_type", "The value has the wrong JSON type."}
	fieldInvalid   = FieldCode{"invalid", "The value breaks a rule of the field; `detail` says which."}
	fieldChecksum  = FieldCode{"bad_checksum", "An address in mixed case fails its EIP-55 checksum."}
)
