/* The tree of processes at the moment that was kept. */
"use strict";
(() => {
	const {report, series, element} = loopmem;
	const body = document.getElementById("tree"), when = document.getElementById("when");
	if (!body)
		return;
	const [unit, decimals] = report.totals.peak_pss_bytes >= 2 ** 30 ? [2 ** 30, 2] : [2 ** 20, 0];
	const figure = (bytes) => (bytes && bytes / unit < .5 / 10 ** decimals ? "<" + 1 / 10 ** decimals : (bytes / unit).toFixed(bytes ? decimals : 0));
	/* -1 = not alive in that row */
	const at = (p, what, row) => row >= p.first && row < p.first + p.pss_kib.length ? p[what][row - p.first] : -1;

	function stateOf(p, row) {
		const pool = report.pools[p.pool], span = pool && loopmem.stateAt(pool, series.t_s[row]);
		return span && span.state === "exhausted" ? "idle" : "-";
	}

	function line(p, row, level, most) {
		const pool = report.pools[p.pool], bytes = at(p, "pss", row);
		const name = pool ? `${pool.name}${p.worker === null ? "" : ` worker ${p.worker}`}` : p.role;
		const cell = (label, text) => element("td", {class: "n", "data-label": label}, text);
		return element("tr", {role: "row", "aria-level": level + 1, style: `--level:${level};--bar:${(bytes / most).toFixed(3)}`},
			element("th", {scope: "row"}, element("i", {class: `swatch ${pool ? pool.stage + " delivering" : "s-owner owner"}`}), name),
			cell("pid", p.pid), cell("state", stateOf(p, row)),
			element("td", {class: "n bar", "data-label": "memory", "data-bytes": bytes}, figure(bytes)),
			cell("private", figure(at(p, "private", row))));
	}

	function fill(row) {
		const alive = series.processes.map((p) => at(p, "pss", row) >= 0), lines = [];
		const most = Math.max(1, ...series.processes.map((p) => at(p, "pss", row)));
		const under = (parent, level) => series.processes.forEach((p, i) => {
			const above = p.parent >= 0 && alive[p.parent] ? p.parent : -1;
			if (alive[i] && above === parent && level <= 32) {
				lines.push(line(p, row, level, most));
				under(i, level + 1);
			}
		});
		under(-1, 0);
		body.replaceChildren(...lines);
		when.textContent = `At ${loopmem.moment(series.t_s[row])}.`;
	}

	let last = -1;
	loopmem.listeners.push((row, pinned) => {
		if (pinned && row !== last)
			fill(last = row);
	});
})();
