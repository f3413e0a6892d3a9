// The screen of updates stays current: when the stream of events tells of an update, its table is fetched again as the server draws it.
'use strict'
addEventListener('DOMContentLoaded', () => {
  const live = document.getElementById('live')
  const [state, button] = [live.querySelector('span'), live.querySelector('button')]
  let stream, again, due, left = 0, paused = false

  const say = (text, good) => {
    state.textContent = text
    state.className = `state ${good ? 'good' : 'waiting'}`
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
      if (answer?.redirected) return location.reload() // to sign in
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
    stream?.close()
    stream = undefined
    say(text)
  }
  const open = () => {
    if (paused || document.hidden) return close('‖ paused')
    close('◷ reconnecting')
    stream = new EventSource(live.dataset.events)
    stream.onopen = () => { say('● live', true); refresh(1) }
    stream.onmessage = ({ data }) => { if (JSON.parse(data).type.startsWith('update.')) refresh(8) }
    stream.onerror = () => {
      if (stream.readyState !== EventSource.CLOSED) return say('◷ reconnecting') // the browser continues where it was
      close('◷ reconnecting')
      again = setTimeout(open, 15_000)
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
