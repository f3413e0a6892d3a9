// Package page serves the web UI below /app: server-rendered HTML, one stylesheet and little script.
//
// Invariants:
//   - Screens show only data that the holder of the API key could look up. Package httpapi admits a request as a
//     look-up of the session's key, with that key's rights, projects, rate and places.
//   - Screens change a project only by posting an edit that an owner's wallet signed, and never see a private key.
//     The API treats this post as one with the session's key: same handler, checks, rights and budget. A post must
//     have the page's origin and the session's token (Sessions.Ours).
//   - The values of an edit exist once per screen: the same ones are shown, signed and sent. The API encodes them
//     itself to recover the owner. So if a wallet signed other values, the API recovers an address that is no owner.
//   - A session is the API key and an end time, sealed (AES-GCM) into a cookie. Every API derives the sealing key
//     from the deployment's secret, so any API can open a session after any restart. A session ends after
//     SessionTime, with the cookie, or when the key is revoked or expires. Entry needs both the cookie and the
//     secret.
//   - URLs, pages and logs never contain the key. The cookie is SameSite=Strict, HttpOnly, and Secure except at a
//     loopback address. Long responses, such as live streams, end soon and restart with the cookie.
//   - The steps of an update show only facts about that update, from a status, a final execution or a transaction.
//   - html/template escapes all outside data. Screens show invisible and direction-changing characters as their code
//     (visible). A CSV keeps names, but escapes formulas of spreadsheets (score.CSVCell).
//   - A screen loads only /app's own files; the policy forbids others, and inline scripts and styles (policy).
//     Wallets' icons are data from the wallets. Only links to the operator's block explorer lead elsewhere, without a
//     referrer (explorer).
//   - Everything is readable without scripts. One script copies ids, shows local times, switches the theme and
//     follows pending updates; the other connects wallets.
package page
