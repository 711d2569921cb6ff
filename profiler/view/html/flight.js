/* The thin chart below the timeline: finished batches that wait in shared memory, and how much of each phase the owner waited for one. */
"use strict";
(() => {
	const {report, series} = loopmem, box = document.getElementById("flight");
	if (!loopmem.chart || !box)
		return;
	const most = Math.max(...series.batch_bytes), waited = report.phases.some((p) => p.stall_s > 0);
	if (!most && !waited)
		return;
	const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
	const rows = series.t_s.map((t, row) => [t, series.batch_bytes[row]]);
	rows.push([Math.max(report.duration_s, series.t_s.at(-1)), rows.at(-1)[1]]);

	function stalls(ctx, area, g) {
		ctx.font = "12px system-ui, sans-serif";
		for (const phase of report.phases) {
			const share = phase.stall_s / (phase.end_s - phase.start_s);
			const from = Math.max(area.x, g.toDomXCoord(phase.start_s)), to = Math.min(area.x + area.w, g.toDomXCoord(phase.end_s));
			if (phase.owner_pid !== report.phases[0].owner_pid || !(share > 0) || to <= from)
				continue;
			ctx.fillStyle = color("warning");
			ctx.globalAlpha = .35;
			ctx.fillRect(from, area.y + area.h * (1 - share), to - from, area.h * share);
			ctx.globalAlpha = 1;
			const label = `${share < .01 ? "<1" : Math.round(share * 100)}% waiting`;
			ctx.fillStyle = color("text");
			if (to - from >= ctx.measureText(label).width + 8)
				ctx.fillText(label, from + 4, area.y + 12);
		}
	}

	box.hidden = document.getElementById("flight-said").hidden = false;
	const themed = () => ({colors: [color("quiet")], gridLineColor: color("line"), axisLineColor: color("quiet")});
	const g = new Dygraph(box, rows, {
		labels: ["s", "batches"], legend: "never", stepPlot: true, fillGraph: true, fillAlpha: .3, strokeWidth: 1.5, highlightCircleSize: 2,
		valueRange: [0, (most || 1) * 1.5], dateWindow: loopmem.chart.xAxisRange(), underlayCallback: stalls, ...themed(),
		axes: {x: {drawAxis: false}, y: {axisLabelWidth: 60, ticker: () => [{v: 0, label: "0"}, ...(most ? [{v: most, label: loopmem.bytes(most)}] : [])]}},
		highlightCallback: (event, x, points, row) => loopmem.pinned || loopmem.show(Math.min(row, series.t_s.length - 1)),
		clickCallback: (event, x) => loopmem.show(loopmem.rowAt(x), true),
		interactionModel: {mousedown: () => {}, click: (event, chart) => chart.getOption("clickCallback")(event, chart.toDataXCoord(event.offsetX))},
	});
	loopmem.flight = g;
	loopmem.windowed.push((from, to) => g.updateOptions({dateWindow: [from, to]}));
	loopmem.listeners.push((row) => g.setSelection(row));
	loopmem.themed.push(() => g.updateOptions(themed()));
})();
