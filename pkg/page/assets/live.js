// The screen of updates stays current: when the stream of events tells of an update, its table is fetched again as the server draws it.
'use strict'
addEventListener('DOMContentLoaded', () => {
  const live = document.getElementById('live')
  const [state, button] = [live.querySelector('span'), live.querySelector('button')]
  let stream, again, late, due, left = 0, paused = false, over = false

  const say = (text, is = 'waiting') => {
    state.textContent = text
    state.className = `state ${is}`
  }
  const newest = (rows) => rows.querySelector('a[href*="/updates/"]')?.getAttribute('href')
  // refresh looks until there is something new, at most so many times: the table follows the events by a second or so.
  const refresh = (times) => {
    left = Math.max(left, times)
    due ??= setTimeout(async () => {
      const more = left - 1
      due = undefined
      left = 0
      const answer = await fetch(location.href).catch(() => undefined)
      if (answer?.redirected) return signedOut()
      const now = answer?.ok && new DOMParser().parseFromString(await answer.text(), 'text/html').getElementById('rows')
      const rows = document.getElementById('rows')
      if (!now || newest(now) === newest(rows) || rows.contains(document.activeElement)) { // no table is taken from under a reader's keys
        if (more > 0) refresh(more)
        return
      }
      rows.replaceWith(now)
      improve(now)
    }, 1500)
  }
  const close = (text) => {
    clearTimeout(again)
    clearTimeout(late)
    stream?.close()
    stream = undefined
    say(text)
  }
  // signedOut says so, and opens no stream any more: who signs in loads the screen again.
  const signedOut = () => {
    over = true
    close('✕ signed out')
    const link = document.createElement('a')
    link.href = location.href
    link.textContent = 'Sign in'
    button.replaceWith(link)
  }
  const open = () => {
    if (over) return
    if (paused || document.hidden) return close('‖ paused')
    close('◷ reconnecting')
    stream = new EventSource(live.dataset.events)
    stream.onopen = () => {
      clearTimeout(late)
      say('● live', 'good')
      refresh(1)
    }
    stream.onmessage = ({ data }) => { if (JSON.parse(data).type.startsWith('update.')) refresh(8) }
    stream.onerror = () => {
      if (stream.readyState !== EventSource.CLOSED) { // the browser continues where it was; each minute the API has it show its cookie again
        clearTimeout(late)
        late = setTimeout(say, 4000, '◷ reconnecting')
        return
      }
      close('◷ reconnecting')
      again = setTimeout(open, 15_000)
      refresh(1) // it tells whether the session has ended
    }
  }
  button.addEventListener('click', () => {
    paused = !paused
    button.textContent = paused ? 'Resume' : 'Pause'
    open()
  })
  addEventListener('visibilitychange', open) // who does not look needs no stream
  live.hidden = false
  open()
})
