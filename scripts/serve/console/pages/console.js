// Refreshes the page when events are published and while a change runs, at most once a second. Without it, the pages work and are loaded again by hand.
(() => {
	if (!("live" in document.body.dataset)) return
	const pause = 1000
	const sign = document.getElementById("live")
	let wanted = false, busy = false
	const used = () => document.querySelector("main details[open]") ||
		document.activeElement && document.activeElement.closest("main form") || String(getSelection())
	const refresh = async () => {
		if (!wanted && !document.querySelector("main [data-running]") || busy || used() || document.hidden) return
		wanted = false
		busy = true
		try {
			const answer = await fetch(location.href, {headers: {Accept: "text/html"}})
			if (!answer.ok) return
			const page = new DOMParser().parseFromString(await answer.text(), "text/html")
			for (const part of ["main", "header .time"]) {
				const from = page.querySelector(part), to = document.querySelector(part)
				if (from && to) to.replaceChildren(...from.childNodes)
			}
			document.getElementById("live").hidden = false
		} catch {
			wanted = true // the local cloud restarts
		} finally {
			busy = false
		}
	}
	const stream = new EventSource("/-/events")
	stream.onopen = () => { sign.hidden = false }
	stream.onmessage = () => { wanted = true }
	addEventListener("pagehide", () => stream.close())
	setInterval(refresh, pause)
})()
