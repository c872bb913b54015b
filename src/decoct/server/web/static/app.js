// What HTML alone cannot do here: the theme, Enter sends, Stop, and where the focus goes when a source opens and closes.
(() => {
  const one = (query) => document.querySelector(query);
  let opener = null;

  document.addEventListener("click", (event) => {
    const at = event.target.closest("[data-theme-button],[data-stop],[data-close],[data-step],[data-example],[data-copy],[data-new],[data-export],[data-forget],[data-again],.cite,[hx-target='#source']");
    if (!at) return;
    if (at.matches("[data-theme-button]")) {
      const dark = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
      const now = document.documentElement.dataset.theme || dark;
      localStorage.setItem("theme", (document.documentElement.dataset.theme = now === "dark" ? "light" : "dark"));
    } else if (at.matches("[data-stop]")) {
      stopped();
      htmx.trigger(one("#ask"), "htmx:abort");
      for (const busy of document.querySelectorAll("#result [aria-busy]")) busy.removeAttribute("aria-busy");
      one("#status").textContent = "Stopped. The question can be changed and asked again.";
      one("#question").focus();
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
    } else if (at.matches("[data-copy]")) {
      navigator.clipboard.writeText(one("#turn").dataset.markdown).then(() => { one("#status").textContent = "Copied."; });
    } else if (at.matches("[data-new]")) {
      begin(null);
    } else if (at.matches("[data-forget]")) {
      chats = chats.filter((other) => other !== chat);
      begin(null);
    } else if (at.matches("[data-export]")) {
      save();
    } else if (at.matches("[data-again]")) {
      const turn = at.dataset.again ? Number(at.dataset.again) : chat.turns.length - 1; // the answer that is shown is the last
      const asked = chat.turns[turn].question;
      chat.turns.length = turn;
      begin(chat);
      one("#question").value = asked;
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
    if (event.target.matches("#chat")) begin(chats.find((other) => other.id === event.target.value) || null);
  });

  document.addEventListener("submit", (event) => {
    const words = event.target.dataset.confirm;
    if (words && !(event.submitter && "sure" in event.submitter.dataset) && !confirm(words)) event.preventDefault();
    if ("upload" in event.target.dataset && !event.defaultPrevented) {
      event.preventDefault();
      send(event.target);
    }
    if (event.target.id === "ask") {
      one("[data-stop]").hidden = false;
      one("#source").replaceChildren();
      const form = new FormData(event.target);
      form.delete("csrf");
      form.delete("history");
      if (chat) show(chat.turns);
      history.replaceState(null, "", "/?" + new URLSearchParams(form));
    }
  }, true);

  // Files are sent by hand, so that their progress can be told; without script the form does it.
  function send(form) {
    const told = form.querySelector("[data-sending]"), bar = told.querySelector("progress"), said = told.querySelector("p");
    const request = new XMLHttpRequest();
    told.hidden = false;
    form.querySelector("[data-refused]").replaceChildren();
    request.upload.onprogress = (event) => {
      if (!event.lengthComputable) return;
      bar.value = event.loaded / event.total;
      said.textContent = event.loaded < event.total ? `${Math.round(100 * bar.value)} % sent` : "Sent. It is being written to the disk…";
    };
    request.onload = () => {
      if (request.status < 400) location.href = request.responseURL;
      else refused(form, request.responseText);
    };
    request.onerror = () => refused(form, "<p class='warn'>The server cannot be reached, or refused files of this size.</p>");
    request.open("POST", form.action);
    request.setRequestHeader("HX-Request", "true");
    request.send(new FormData(form));
  }

  function refused(form, html) {
    form.querySelector("[data-sending]").hidden = true;
    form.querySelector("[data-refused]").innerHTML = html;
  }

  const drop = one("[data-upload]");
  if (drop) {
    for (const kind of ["dragenter", "dragover"]) drop.addEventListener(kind, (event) => { event.preventDefault(); drop.classList.add("over"); });
    for (const kind of ["dragleave", "drop"]) drop.addEventListener(kind, () => drop.classList.remove("over"));
    drop.addEventListener("drop", (event) => {
      event.preventDefault();
      if (!event.dataTransfer.files.length) return;
      one("#files").files = event.dataTransfer.files;
      drop.requestSubmit();
    });
  }

  // Conversations are kept in this browser alone: of each its library and its turns, at most fifty, the latest first.
  const shelf = one("[data-chats]");
  let chats = [], chat = null;

  function begin(other) {
    chat = other;
    one("#result").replaceChildren();
    one("#source").replaceChildren();
    show(chat ? chat.turns : []);
    one("#question").focus();
  }

  // Lists the conversations and the turns that stand above the question, and what is sent with it.
  function show(turns) {
    localStorage.setItem("chats", JSON.stringify(chats.slice(0, 50)));
    const own = chats.filter((other) => other.library === shelf.dataset.chats);
    one("#chat").replaceChildren(new Option("new", ""), ...own.map((other) => new Option(other.turns[0] ? other.turns[0].question.slice(0, 60) : "…", other.id)));
    one("#chat").value = chat ? chat.id : "";
    one("#history").value = chat ? JSON.stringify(chat.turns.slice(-6).map((turn) => [turn.question, turn.text.slice(0, 4000)])) : "";
    one("#turns").replaceChildren(...turns.map((turn, at) => {
      const item = document.createElement("li"), details = document.createElement("details");
      const question = document.createElement("summary"), answer = document.createElement("p"), again = document.createElement("button");
      question.textContent = turn.question;
      answer.textContent = turn.markdown;
      again.textContent = "Edit and ask again";
      again.type = "button";
      again.className = "plain";
      again.dataset.again = at;
      details.append(question, answer, again);
      item.append(details);
      return item;
    }));
  }

  // The answer that has come is a turn; the earlier ones stand above.
  function remember() {
    const told = one("#turn");
    if (!told || !shelf || told.dataset.kept || !told.dataset.question) return;
    told.dataset.kept = "yes";
    one("#answer [data-again]").hidden = false;
    const last = chats.find((other) => other.library === shelf.dataset.chats);
    if (!chat && last && last.turns.length && last.turns[last.turns.length - 1].question === told.dataset.question) { // the page was loaded anew
      chat = last;
      show(chat.turns.slice(0, -1));
      return;
    }
    if (!chat) chats.unshift(chat = { id: String(Date.now()), library: shelf.dataset.chats, turns: [] });
    const before = [...chat.turns];
    chat.turns.push({ question: told.dataset.question, text: told.dataset.text, markdown: told.dataset.markdown });
    show(before);
    one("#question").value = "";
  }

  function save() {
    if (!chat) return;
    const text = chat.turns.map((turn) => `## ${turn.question}\n\n${turn.markdown}\n`).join("\n");
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "text/markdown" }));
    link.download = "conversation.md";
    link.click();
    URL.revokeObjectURL(link.href);
  }

  if (shelf) {
    try { chats = JSON.parse(localStorage.getItem("chats")) || []; } catch { chats = []; }
    shelf.hidden = false;
    show([]);
    remember();
  }

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
  if (result) new MutationObserver(() => { if (one("#answer, #result .problem")) { stopped(); remember(); } }).observe(result, { childList: true });
})();
