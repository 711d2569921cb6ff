/* The moment that is looked at, and the panel that tells its figures. Who shows a moment listens to loopmem.listeners. */
"use strict";
(() => {
	const {report, series, element} = loopmem;
	const panel = document.getElementById("panel"), announce = document.getElementById("announce");
	loopmem.row = -1;
	loopmem.pinned = false;

	const since = (seconds) => seconds > 0 ? `for ${loopmem.duration(seconds)}` : "from here on";

	function entry(column, bytes, row) {
		const pools = loopmem.poolsOf(column, row), t = series.t_s[row];
		const name = column.kind === "owner" ? "owner and others" : pools.map((p) => p.name).join(", ") || column.stage;
		const lines = [name];
		const label = column.kind === "idle" ? "held idle" : column.kind;
		const state = pools.length === 1 ? loopmem.stateAt(pools[0], t) : null;
		if (column.kind !== "owner")
			lines.push(element("small", {}, state ? `${state.state === "starting" ? "starting" : label} ${since(t - state.start_s)}` : label));
		return element("li", {"data-bytes": bytes},
			element("i", {class: `swatch ${column.stage} ${column.kind}`}),
			element("span", {}, ...lines), element("b", {}, loopmem.bytes(bytes)));
	}

	function draw() {
		const row = loopmem.row, t = series.t_s[row], all = loopmem.total(row), without = all - series.held_idle_bytes[row];
		const limit = report.totals.limit_bytes, phase = loopmem.phaseAt(t);
		const rows = series.columns.map((c) => [c, c.bytes[row]]).filter(([, b]) => b > 0).sort((a, b) => b[1] - a[1]);
		const share = limit ? `${loopmem.percent(all, limit)} of the ${report.totals.limit_source === "RAM" ? "RAM" : "limit"}` : "";
		panel.replaceChildren(
			element("h3", {"data-bytes": all, "data-t": t}, loopmem.bytes(all)),
			element("p", {}, `at ${loopmem.moment(t)}${phase ? `, ${phase.name}` : ""}`, element("br"), share),
			element("ul", {}, ...rows.map(([c, b]) => entry(c, b, row))));
		if (without < all)
			panel.append(element("p", {}, "without held idle ", element("b", {"data-bytes": without}, loopmem.bytes(without))));
		if (series.batch_bytes[row] > 0)
			panel.append(element("p", {}, "batches in flight ", element("b", {"data-bytes": series.batch_bytes[row], class: "batches"}, loopmem.bytes(series.batch_bytes[row]))));
		if (loopmem.pinned)
			panel.append(element("p", {class: "pinned"}, "kept: the processes below are of this moment"));
		return `${loopmem.moment(t)}, ${loopmem.bytes(all)}${phase ? `, ${phase.name}` : ""}`;
	}

	/* Shows a row everywhere; `pin` keeps it, and tells a screen reader. */
	loopmem.show = (row, pin) => {
		row = Math.max(0, Math.min(series.t_s.length - 1, row));
		if (pin !== undefined)
			loopmem.pinned = pin;
		loopmem.row = row;
		const said = draw();
		if (pin)
			announce.textContent = `${said}, kept`;
		loopmem.listeners.forEach((listener) => listener(row, loopmem.pinned));
	};
})();
