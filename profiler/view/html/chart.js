/* The live chart: dygraphs in the place of the static picture, its keys, and the window that the gantt shares. */
"use strict";
(() => {
	const {report, series, element} = loopmem;
	const box = document.getElementById("live"), hide = document.getElementById("hide");
	const picture = document.querySelector(".picture"), gantt = document.querySelector(".gantt");
	if (typeof Dygraph === "undefined" || !box || series.t_s.length < 2)
		return;

	const GIB = 2 ** 30, top = Number(picture.dataset.top), whole = [0, report.duration_s];
	let palette = {}; /* asked of the style once a theme */
	const color = (name) => palette[name] ||= getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
	const colors = () => series.columns.map((c) => color(c.kind === "owner" ? "owner" : c.stage));
	const names = series.columns.map((c, i) => `${i} ${c.kind}`);
	/* a row more, so that the last step has its width */
	const rows = series.t_s.map((t, row) => [t, ...series.columns.map((c) => c.bytes[row])]);
	rows.push([Math.max(report.duration_s, series.t_s.at(-1)), ...rows.at(-1).slice(1)]);

	/* Textures are tiles in pixels of the screen: they stay put when the window moves. Made once a theme. */
	const SIDE = 6;
	let tiles = {};
	function tile(ctx, kind) {
		const ratio = devicePixelRatio || 1, canvas = element("canvas", {width: SIDE * ratio, height: SIDE * ratio}), t = canvas.getContext("2d");
		t.scale(ratio, ratio);
		t.strokeStyle = t.fillStyle = color("hatch");
		t.lineWidth = 1.5;
		if (kind === "idle")
			for (const x of [-SIDE, 0, SIDE]) {
				t.moveTo(x, SIDE);
				t.lineTo(x + SIDE, 0);
			}
		else
			t.rect(2, 2, 1, 1);
		t.stroke();
		const pattern = ctx.createPattern(canvas, "repeat");
		pattern.setTransform(new DOMMatrix().scale(1 / ratio));
		return pattern;
	}

	/* Of the points in one column of pixels the highest is enough. */
	function steps(points, base) {
		const kept = [];
		points.forEach((p, i) => {
			const at = {x: Math.round(p.canvasx), high: p.canvasy, low: base(i)}, last = kept.at(-1);
			if (!last || last.x !== at.x)
				kept.push(at);
			else if (at.low - at.high > last.low - last.high)
				kept[kept.length - 1] = at;
		});
		return kept;
	}

	function texture(e) {
		const kind = e.setName.split(" ")[1];
		if (kind !== "idle" && kind !== "parked")
			return;
		/* dygraphs hands over the shown series only, the stack's lower neighbour is the next of them */
		const below = e.allSeriesPoints[e.seriesIndex + 1], ctx = e.drawingContext, bottom = e.plotArea.y + e.plotArea.h;
		const kept = steps(e.points, (i) => below && below[i] ? below[i].canvasy : bottom), area = new Path2D();
		for (let i = 0; i < kept.length; i++) {
			if (kept[i].low - kept[i].high < .5)
				continue;
			let end = i; /* a stretch in which it is there: forth along its upper edge, back along the lower */
			area.moveTo(kept[i].x, kept[i].low);
			for (; end < kept.length && kept[end].low - kept[end].high >= .5; end++) {
				area.lineTo(kept[end].x, kept[end].high);
				area.lineTo((kept[end + 1] || kept[end]).x, kept[end].high);
			}
			for (let k = end - 1; k >= i; k--) {
				area.lineTo((kept[k + 1] || kept[k]).x, kept[k].low);
				area.lineTo(kept[k].x, kept[k].low);
			}
			i = end;
		}
		ctx.fillStyle = tiles[kind] ||= tile(ctx, kind);
		ctx.fill(area);
	}

	function bands(ctx, area, g) {
		ctx.font = "12px system-ui, sans-serif";
		for (const phase of report.phases) {
			if (phase.owner_pid !== report.phases[0].owner_pid)
				continue;
			const from = Math.max(area.x, g.toDomXCoord(phase.start_s)), to = Math.min(area.x + area.w, g.toDomXCoord(phase.end_s));
			if (to <= from)
				continue;
			ctx.globalAlpha = .08;
			ctx.fillStyle = color(phase.stage === "validate" ? "validate" : "quiet");
			if (phase.stage !== "train")
				ctx.fillRect(from, area.y, to - from, area.h);
			ctx.globalAlpha = 1;
			ctx.fillStyle = color("quiet");
			if (to - from >= ctx.measureText(phase.name).width + 8)
				ctx.fillText(phase.name, from + 4, area.y + 12);
			else if (to - from >= 16)
				ctx.fillText(phase.name[0], from + 4, area.y + 12);
		}
		const limit = report.totals.limit_bytes;
		if (!limit || limit > top)
			return;
		const y = g.toDomYCoord(limit), label = `limit ${loopmem.bytes(limit)}`;
		ctx.strokeStyle = ctx.fillStyle = color("text");
		ctx.lineWidth = 2;
		ctx.setLineDash([6, 4]);
		ctx.beginPath();
		ctx.moveTo(area.x, y);
		ctx.lineTo(area.x + area.w, y);
		ctx.stroke();
		ctx.setLineDash([]);
		/* at the start, where there is least to hide it */
		ctx.fillText(label, area.x + 6, y + 15);
	}

	const rowUnder = (event) => loopmem.rowAt(g.toDataXCoord(event.clientX - box.getBoundingClientRect().left));

	function shareWindow(g) {
		const [from, to] = g.xAxisRange();
		if (gantt) {
			gantt.style.setProperty("--from", from);
			gantt.style.setProperty("--to", to);
		}
		loopmem.windowed.forEach((listener) => listener(from, to));
	}

	/* As the static picture: round steps of time, at most one every 90 pixels. */
	const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400];
	function timeTicks(from, to, pixels) {
		const step = STEPS.find((s) => (to - from) / s <= Math.max(2, pixels / 90)) || STEPS.at(-1), ticks = [];
		for (let t = Math.ceil(from / step) * step; t <= to; t += step)
			ticks.push({v: t, label: loopmem.moment(t)});
		return ticks;
	}

	document.documentElement.classList.add("live");
	box.hidden = document.getElementById("panel").hidden = document.getElementById("hint").hidden = false;
	const themed = () => ({
		colors: colors(), gridLineColor: color("line"), axisLineColor: color("quiet"),
		rangeSelectorPlotFillColor: color("line"), rangeSelectorPlotFillGradientColor: color("raised"),
		rangeSelectorPlotStrokeColor: color("quiet"), rangeSelectorBackgroundStrokeColor: color("line"),
		rangeSelectorForegroundStrokeColor: color("quiet"),
		rangeSelectorVeilColour: `color-mix(in srgb, ${color("ground")} 60%, transparent)`,
	});
	const unit = top >= GIB ? [GIB, "GiB"] : [2 ** 20, "MiB"];
	const g = new Dygraph(box, rows, {
		labels: ["s", ...names], legend: "never", stackedGraph: true, stepPlot: true, fillGraph: true, fillAlpha: .9,
		stackedGraphNaNFill: "none", strokeWidth: 0, drawPoints: false, highlightCircleSize: 0, includeZero: true,
		valueRange: [0, top * 1.08], /* names of phases above it all */ dateWindow: whole, plotter: [Dygraph.Plotters.fillPlotter, texture], underlayCallback: bands,
		drawCallback: shareWindow, showRangeSelector: true, rangeSelectorHeight: 28, rangeSelectorAlpha: .5, ...themed(),
		axes: {
			x: {ticker: timeTicks},
			y: {axisLabelFormatter: (v) => `${+(v / unit[0]).toFixed(1)} ${unit[1]}`, axisLabelWidth: 60,
				ticker: (min, max) => Dygraph.numericLinearTicks(min / unit[0], max / unit[0], 260,
					(name) => ({pixelsPerLabel: 50, axisLabelFormatter: (v) => v}[name]))
					.map((tick) => tick.v === undefined ? tick : {v: tick.v * unit[0], label: `${+tick.v.toFixed(1)} ${unit[1]}`})},
		},
		highlightCallback: (event, x, points, row) => loopmem.pinned || loopmem.show(Math.min(row, series.t_s.length - 1)),
		clickCallback: (event) => loopmem.show(rowUnder(event), true),
	});
	loopmem.chart = g;

	/* Annotations are buttons: they can be reached and pressed by key. */
	const peak = loopmem.rowAt(report.totals.peak_at_s + 1e-6), mark = report.totals.peak_at_s;
	function place() {
		const [from, to] = g.xAxisRange();
		button.hidden = mark < from || mark > to;
		button.style.left = `${Math.max(0, g.toDomXCoord(mark) - 28)}px`;
		button.style.top = `${g.toDomYCoord(loopmem.total(peak)) - 4}px`;
	}
	const button = element("button", {type: "button", class: "dygraph-annotation", style: "position:absolute;width:24px",
		"aria-label": `peak, ${loopmem.bytes(report.totals.peak_pss_bytes)} at ${loopmem.moment(mark)}`}, "P");
	button.addEventListener("click", () => loopmem.show(peak, true));
	box.append(button);
	g.updateOptions({drawCallback: (chart) => { shareWindow(chart); place(); }}, true);
	place();

	/* ---- the window ---- */

	loopmem.zoom = (from, to) => {
		const least = Math.min(1, whole[1]);
		from = Math.max(whole[0], from);
		to = Math.min(whole[1], Math.max(to, from + least));
		g.updateOptions({dateWindow: [from, to]});
	};
	function zoomBy(factor) {
		const [from, to] = g.xAxisRange(), center = loopmem.row >= 0 ? series.t_s[loopmem.row] : (from + to) / 2;
		const at = Math.max(from, Math.min(to, center));
		loopmem.zoom(at - (at - from) * factor, at + (to - at) * factor);
	}
	box.addEventListener("dblclick", () => loopmem.zoom(...whole));

	/* ---- fingers: one moves the cursor, dygraphs zooms with two ---- */

	box.addEventListener("pointerdown", (event) => {
		if (event.pointerType !== "mouse")
			box.setPointerCapture(event.pointerId);
	});
	box.addEventListener("pointermove", (event) => {
		if (event.pointerType !== "mouse" && event.isPrimary)
			loopmem.show(rowUnder(event), true);
	});

	/* ---- keys: the dashboard's ---- */

	function phaseStep(direction) {
		const t = series.t_s[Math.max(0, loopmem.row)], starts = report.phases.map((p) => p.start_s);
		const next = direction > 0 ? starts.find((s) => s > t) : starts.filter((s) => s < series.t_s[loopmem.rowAt(t)] - 1e-6).pop();
		return next === undefined ? loopmem.row : Math.min(loopmem.rowAt(next) + (series.t_s[loopmem.rowAt(next)] < next ? 1 : 0), series.t_s.length - 1);
	}
	const most = (values) => values.reduce((best, v, i) => v > values[best] ? i : best, 0);
	const keys = {
		ArrowLeft: (e) => loopmem.show(loopmem.row - (e.shiftKey ? 10 : 1), true),
		ArrowRight: (e) => loopmem.show(loopmem.row + (e.shiftKey ? 10 : 1), true),
		Home: () => loopmem.show(0, true),
		End: () => loopmem.show(series.t_s.length - 1, true),
		"[": () => loopmem.show(phaseStep(-1), true),
		"]": () => loopmem.show(phaseStep(1), true),
		p: () => loopmem.show(peak, true),
		i: () => loopmem.show(most(series.held_idle_bytes), true),
		"+": () => zoomBy(.5),
		"-": () => zoomBy(2),
		"=": () => loopmem.zoom(...whole),
		Enter: () => loopmem.show(loopmem.row, true),
		Escape: () => loopmem.show(loopmem.row, false),
	};
	box.addEventListener("keydown", (event) => {
		const key = keys[event.key];
		if (!key || event.ctrlKey || event.metaKey || event.altKey || event.target !== box)
			return;
		event.preventDefault();
		key(event);
	});

	/* ---- what is shown ---- */

	const boxes = [...document.querySelectorAll(".legend input")];
	function apply() {
		const shown = series.columns.map((c) => !(hide && hide.checked && c.kind === "idle") &&
			boxes.every((b) => b.checked || b.dataset.stage !== c.stage || b.dataset.kind !== c.kind));
		g.updateOptions({visibility: shown});
	}
	boxes.forEach((b) => b.addEventListener("change", apply));
	if (hide)
		hide.addEventListener("change", apply);

	loopmem.retheme = () => {
		palette = {};
		tiles = {};
		g.updateOptions(themed());
		loopmem.themed.forEach((listener) => listener());
	};
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", loopmem.retheme);
	loopmem.listeners.push((row, pinned) => g.setSelection(row, undefined, pinned));
	loopmem.show(peak);
	if ((hide && hide.checked) || boxes.some((b) => !b.checked)) /* a browser keeps them when the page is loaded again */
		apply();
})();
