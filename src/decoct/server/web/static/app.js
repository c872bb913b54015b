// What HTML alone cannot do here: the theme, Enter sends, Stop, and where the focus goes when a source opens and closes.
(() => {
  const one = (query) => document.querySelector(query);
  let opener = null;

  document.addEventListener("click", (event) => {
    const at = event.target.closest("[data-theme-button],[data-stop],[data-close],[data-step],[data-example],.cite,[hx-target='#source']");
    if (!at) return;
    if (at.matches("[data-theme-button]")) {
      const dark = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
      const now = document.documentElement.dataset.theme || dark;
      localStorage.setItem("theme", (document.documentElement.dataset.theme = now === "dark" ? "light" : "dark"));
    } else if (at.matches("[data-stop]")) {
      stopped();
      htmx.trigger(one("#ask"), "htmx:abort");
      one("#status").textContent = "Stopped.";
    } else if (at.matches("[data-close]")) {
      close();
    } else if (at.matches("[data-step]")) {
      const cites = [...document.querySelectorAll(".cite")];
      const next = cites[cites.indexOf(opener) + Number(at.dataset.step)];
      if (next) next.click();
    } else if (at.matches("[data-example]")) {
      event.preventDefault();
      one("#question").value = at.dataset.example;
      one("#ask").requestSubmit();
    } else if (!at.closest("#source")) {
      opener = at;
    }
  });

  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing && event.target.matches("[data-enter]")) {
      event.preventDefault();
      event.target.form.requestSubmit();
    }
    if (event.key === "Escape" && one("#source .source-head")) close();
  });

  document.addEventListener("change", (event) => {
    if (event.target.matches("[data-submit]")) event.target.form.requestSubmit();
  });

  document.addEventListener("submit", (event) => {
    const words = event.target.dataset.confirm;
    if (words && !confirm(words)) event.preventDefault();
    if (event.target.id === "ask") {
      one("[data-stop]").hidden = false;
      one("#source").replaceChildren();
      const form = new FormData(event.target);
      form.delete("csrf");
      history.replaceState(null, "", "/?" + new URLSearchParams(form));
    }
  }, true);

  function stopped() {
    const stop = one("[data-stop]");
    if (stop) stop.hidden = true;
  }

  function close() {
    one("#source").replaceChildren();
    if (opener && opener.isConnected) opener.focus();
  }

  const source = one("#source.source");
  if (source) new MutationObserver(() => {
    const title = one("#source-title");
    document.body.classList.toggle("reading", !!title);
    if (!title) return;
    title.focus({ preventScroll: true });
    const mark = one("#cited"), text = one("#source .text");
    if (mark && text) text.scrollTop = Math.max(0, mark.offsetTop - text.clientHeight / 3);
  }).observe(source, { childList: true });

  const result = one("#result");
  if (result) new MutationObserver(() => { if (one("#answer, #result .problem")) stopped(); }).observe(result, { childList: true });
})();
