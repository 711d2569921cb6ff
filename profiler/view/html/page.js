/* What is left: copying, jumping to a finding's moment, choosing a pool. */
"use strict";
(() => {
	const {report, element} = loopmem;

	/* ---- commands ---- */

	for (const box of document.querySelectorAll(".copy")) {
		const copy = element("button", {type: "button"}, "Copy"), code = box.querySelector("code");
		copy.addEventListener("click", async () => {
			try {
				await navigator.clipboard.writeText(code.textContent);
				copy.textContent = "Copied";
			} catch (e) { /* leave it selected, for the person to copy */
				getSelection().selectAllChildren(code);
			}
		});
		box.prepend(copy);
	}

	/* ---- findings ---- */

	for (const show of document.querySelectorAll("button.show")) {
		show.hidden = !loopmem.chart;
		show.addEventListener("click", () => {
			const t = Number(show.dataset.t), around = Math.max(report.duration_s / 8, 10);
			loopmem.zoom(t - around, t + around);
			loopmem.show(loopmem.rowAt(t), true);
			document.getElementById("timeline").scrollIntoView();
		});
	}

	/* ---- pools: chosen in one place, marked in all ---- */

	const marked = [...document.querySelectorAll("[data-pool]")];
	for (const row of marked)
		row.addEventListener("click", () => {
			const chosen = row.classList.contains("chosen") ? "" : row.dataset.pool;
			marked.forEach((other) => other.classList.toggle("chosen", other.dataset.pool === chosen));
		});
})();
