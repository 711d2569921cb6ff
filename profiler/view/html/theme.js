/* Auto, light or dark; kept where the browser lets a page keep something. Before the chart, which takes its colours. */
"use strict";
(() => {
	const root = document.documentElement;
	const themes = ["auto", "light", "dark"], button = document.getElementById("theme");
	function setTheme(theme) {
		button.textContent = `Theme: ${theme}`;
		root.dataset.theme = theme;
	}
	let stored = null;
	try {
		stored = localStorage.getItem("loopmem-theme");
	} catch (e) { /* not here */ }
	setTheme(themes.includes(stored) ? stored : "auto");
	button.addEventListener("click", () => {
		const theme = themes[(themes.indexOf(root.dataset.theme) + 1) % themes.length];
		setTheme(theme);
		if (loopmem.retheme)
			loopmem.retheme();
		try {
			localStorage.setItem("loopmem-theme", theme);
		} catch (e) { /* not here */ }
	});
})();
