// Without this file the page refreshes itself while the agent is at work.
const main = document.querySelector("main[data-live]");
let events;

function listen() {
	events?.close();
	if (document.hidden) return; // a browser opens few connections to one server
	events = new EventSource(main.dataset.live);
	events.addEventListener("said", (e) => { document.getElementById("said").textContent = e.data; });
	events.addEventListener("moved", () => {
		events.close();
		if (main.hasAttribute("data-running")) location.reload();
		else document.getElementById("moved").hidden = false; // something may be entered in the form
	});
}

if (main) {
	document.addEventListener("visibilitychange", listen);
	listen();
}
