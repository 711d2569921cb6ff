/* What the page knows: the document in #data, unpacked; numbers as the report prints them. */
"use strict";
const loopmem = (() => {
	const report = JSON.parse(document.getElementById("data").textContent);
	const series = report.series;
	const UNITS = [["TiB", 2 ** 40], ["GiB", 2 ** 30], ["MiB", 2 ** 20], ["KiB", 2 ** 10]];

	/* As format_bytes: one decimal from GiB on, whole MiB. */
	function bytes(value) {
		if (!value)
			return "0";
		const size = Math.abs(value);
		const [name, unit] = UNITS.find(([, u]) => size >= u - u / 2048) || UNITS[3];
		const scaled = value / unit;
		const small = Math.abs(scaled) < (name === "MiB" ? 9.95 : 99.95);
		return `${scaled.toFixed(name !== "KiB" && small ? 1 : 0)} ${name}`;
	}

	/* As format_percent: all of it only when it is, some of it when it is more than nothing. */
	function percent(part, whole) {
		const rounded = Math.round(part / whole * 100);
		return part > 0 && !rounded ? "<1%" : `${part < whole ? Math.min(rounded, 99) : rounded}%`;
	}

	/* As format_duration: tenths below ten seconds, whole ones below a minute. */
	function duration(seconds) {
		const tenths = Math.floor(seconds * 10 + .005);
		if (tenths >= 600)
			return moment(tenths / 10);
		return tenths >= 100 ? `${Math.floor(tenths / 10)} s` : seconds > 0 && !tenths ? "<0.1 s" : `${(tenths / 10).toFixed(1)} s`;
	}

	/* As format_moment: m:ss, h:mm:ss. */
	function moment(seconds) {
		const s = Math.floor(seconds), two = (n) => String(n).padStart(2, "0");
		return s < 3600 ? `${Math.floor(s / 60)}:${two(s % 60)}` :
			`${Math.floor(s / 3600)}:${two(Math.floor(s / 60) % 60)}:${two(s % 60)}`;
	}

	/* Values are differences in KiB. There are many: each list is unpacked when it is first asked for. */
	function unpack(differences) {
		let sum = 0;
		return differences.map((d) => (sum += d) * 1024);
	}
	for (const p of series.processes)
		for (const name of ["pss", "private"])
			Object.defineProperty(p, name, {configurable: true, get() {
				const value = unpack(this[`${name}_kib`]);
				Object.defineProperty(this, name, {value});
				return value;
			}});

	/* The last row at or before a moment. */
	function rowAt(seconds) {
		let low = 0, high = series.t_s.length - 1;
		while (low < high) {
			const middle = (low + high + 1) >> 1;
			if (series.t_s[middle] <= seconds)
				low = middle;
			else
				high = middle - 1;
		}
		return low;
	}

	function stateAt(pool, seconds) {
		const span = pool.states.find((s) => s.start_s <= seconds && seconds < s.end_s);
		return span || null;
	}

	/* The pools that make up a column in a row: those of its lane that are in its state then. */
	function poolsOf(column, row) {
		const t = series.t_s[row];
		const states = {idle: ["exhausted"], parked: ["parked"], delivering: ["starting", "delivering"]}[column.kind] || [];
		return report.pools.filter((pool, i) => {
			const state = series.lanes[i] === column.lane && stateAt(pool, t);
			return state && states.includes(state.state);
		});
	}

	function phaseAt(seconds) {
		return report.phases.find((p) => p.start_s <= seconds && seconds < p.end_s) || null;
	}

	function total(row) {
		return series.columns.reduce((sum, c) => sum + c.bytes[row], 0);
	}

	/* The memory that workers of exhausted pools take in a row: the hatched part. */
	function idle(row) {
		return series.columns.reduce((sum, c) => sum + (c.kind === "idle" ? c.bytes[row] : 0), 0);
	}

	function element(name, attributes, ...children) {
		const e = document.createElement(name);
		for (const [key, value] of Object.entries(attributes || {}))
			e.setAttribute(key, value);
		e.append(...children);
		return e;
	}

	document.documentElement.classList.add("scripted");
	return {report, series, bytes, percent, moment, duration, rowAt, poolsOf, stateAt, phaseAt, total, idle, element, listeners: [], windowed: [], themed: []};
})();
