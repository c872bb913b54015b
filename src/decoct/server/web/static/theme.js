// Before the page is drawn, so that it does not flash: the theme that was chosen, else the system's.
const kept = localStorage.getItem("theme");
if (kept) document.documentElement.dataset.theme = kept;
