/* The icicle: its window, search, walk by keys, and the line that tells a call. The boxes are in the page; CSS draws them. */
"use strict";
(() => {
	const icicle = document.getElementById("icicle"), find = document.getElementById("find"), found = document.getElementById("found");
	const told = document.getElementById("call");
	if (!icicle) {
		if (find)
			find.parentElement.hidden = true;
		return;
	}

	/* The boxes stand in depth-first order: a parent is the last one above that is less deep. */
	const calls = [...icicle.querySelectorAll(".call")].map((box) => {
		const at = (name) => Number(box.style.getPropertyValue(name));
		return {box, from: at("--s"), to: at("--e"), depth: at("--d"), bytes: Number(box.dataset.bytes), text: box.title.toLowerCase(), children: [], parent: null};
	});
	const byBox = new Map(calls.map((call) => [call.box, call])), path = [];
	for (const call of calls) {
		path.length = call.depth;
		call.parent = path.at(-1) || null;
		if (call.parent)
			call.parent.children.push(call);
		path.push(call);
	}
	const all = calls[0], rest = told.textContent;
	let alone = all, focused = all;

	function tell(call) {
		const pool = alone !== all && call !== alone ? `, ${(call.bytes / alone.bytes * 100).toFixed(1)}% of the one shown alone` : "";
		told.textContent = call ? `${call.box.title}${pool}` : rest;
	}

	/* One call over the whole width, its callers above it. */
	function show(call) {
		alone = call;
		icicle.style.setProperty("--from", call.from);
		icicle.style.setProperty("--to", call.to);
		const inside = (c) => c.to > call.from + 1e-9 && c.from < call.to - 1e-9;
		let rows = 0;
		for (const c of calls) {
			rows = Math.max(rows, inside(c) ? c.depth + 1 : 0);
			c.box.classList.toggle("off", !inside(c));
			c.box.classList.toggle("above", c.depth < call.depth);
		}
		icicle.style.setProperty("--rows", rows);
	}

	function focus(call) {
		if (!call)
			return;
		if (call.box.classList.contains("off"))
			show(call);
		focused.box.tabIndex = -1;
		focused = call;
		call.box.tabIndex = 0;
		call.box.focus();
	}

	/* Matches within matches count once. */
	function search() {
		const wanted = find.value.trim().toLowerCase(), end = {to: -1};
		let bytes = 0, hits = 0, outer = end;
		for (const call of calls) {
			const hit = wanted !== "" && call !== all && call.text.includes(wanted);
			call.box.classList.toggle("hit", hit);
			hits += hit;
			if (!hit || (call.from >= outer.from && call.to <= outer.to && call.depth > outer.depth))
				continue;
			bytes += call.bytes;
			outer = call;
		}
		icicle.classList.toggle("finding", wanted !== "");
		found.textContent = wanted === "" ? "" : `${hits} ${hits === 1 ? "call" : "calls"}, ${(bytes / all.bytes * 100).toFixed(1)}%, ${loopmem.bytes(bytes)}`;
	}

	function beside(call, step) {
		const row = call.parent ? call.parent.children : [call], at = row.indexOf(call) + step;
		return row[at];
	}
	const keys = {
		ArrowDown: (c) => focus(c.children[0]),
		ArrowUp: (c) => focus(c.parent),
		ArrowLeft: (c) => focus(beside(c, -1)),
		ArrowRight: (c) => focus(beside(c, 1)),
		Home: () => focus(all),
		Enter: (c) => show(c === alone ? all : c),
		" ": (c) => show(c === alone ? all : c),
		Escape: (c) => { show(all); focus(c); },
		"/": () => find.focus(),
	};
	icicle.removeAttribute("aria-hidden");
	icicle.setAttribute("role", "tree");
	icicle.setAttribute("aria-label", "Calls by the memory they hold");
	for (const call of calls) {
		call.box.setAttribute("role", "treeitem");
		call.box.setAttribute("aria-level", call.depth + 1);
		call.box.setAttribute("aria-label", call.box.title);
		call.box.tabIndex = call === all ? 0 : -1;
	}
	const callOf = (event) => byBox.get(event.target);
	icicle.addEventListener("pointerover", (event) => callOf(event) && tell(callOf(event)));
	icicle.addEventListener("focusin", (event) => callOf(event) && tell(callOf(event)));
	icicle.addEventListener("pointerleave", () => tell(icicle.contains(document.activeElement) ? focused : null));
	icicle.addEventListener("click", (event) => {
		const call = callOf(event);
		if (!call)
			return;
		show(call === alone ? all : call);
		focus(call);
		tell(call);
	});
	icicle.addEventListener("keydown", (event) => {
		const call = callOf(event), key = keys[event.key];
		if (!call || !key || event.ctrlKey || event.metaKey || event.altKey)
			return;
		event.preventDefault();
		key(call);
	});
	find.addEventListener("input", search);
	find.addEventListener("keydown", (event) => {
		if (event.key !== "Escape")
			return;
		find.value = "";
		search();
	});
	document.getElementById("out").addEventListener("click", () => show(all));
	const flame = document.getElementById("flame"), turn = () => icicle.classList.toggle("flame", flame.checked);
	flame.addEventListener("change", turn);
	turn();
	search(); /* a browser keeps the words when the page is loaded again */
})();
