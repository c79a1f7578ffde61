// Steps through a match on this page. Without it every control is a link that does the same.
const form = document.getElementById("replay");
const PAUSE_MS = 1500;

if (form) {
  const $ = (id) => document.getElementById(id);
  const [slider, run, here] = [$("step"), $("run"), $("here")];
  const last = Number(form.dataset.last);
  let at = Number(form.dataset.at);
  let speed = 1;
  let timer = 0;

  // The frames are fetched when the reader first wants one that the page does not show.
  let fetched;
  const load = () => (fetched ??= fetch(form.dataset.frames).then(async (answer) => {
    if (!answer.ok) throw new Error(`frames: ${answer.status}`);
    const told = await answer.json();
    define(told.symbols);
    return told.frames;
  }));

  // Puts those symbols into the page that it has not defined for what it shows at first.
  function define(markup) {
    const drawn = new DOMParser().parseFromString(markup, "text/html");
    const defined = document.querySelector("svg.defs");
    for (const symbol of drawn.querySelectorAll("symbol")) {
      if (!document.getElementById(symbol.id)) defined.append(document.importNode(symbol, true));
    }
  }

  const withStep = (href) => {
    const url = new URL(href, location.href);
    url.searchParams.set("step", at);
    url.hash = "";
    return url.pathname + url.search;
  };

  // The list scrolls, never the page: the board must stay where it is.
  function reveal() {
    const list = $("steps");
    const link = list.querySelector("[aria-current]");
    list.scrollTop = link.offsetTop - (list.clientHeight - link.offsetHeight) / 2;
  }

  async function show(n) {
    at = Math.min(Math.max(n, 1), last);
    const wanted = at;
    let frames;
    try {
      frames = await load();
    } catch {
      location.assign(withStep(location.href));
      return;
    }
    if (wanted !== at) return;
    $("board").innerHTML = frames[at - 1].svg;
    slider.value = at;
    $("at").textContent = at;
    for (const link of document.querySelectorAll("#steps a")) {
      if (Number(link.dataset.step) === at) link.setAttribute("aria-current", "step");
      else link.removeAttribute("aria-current");
    }
    reveal();
    for (const link of document.querySelectorAll("a.eyes")) link.href = withStep(link.href);
    here.href = withStep(location.href);
    history.replaceState(null, "", `#step=${at}`);
    if (at === last) pause();
  }

  function picture(name, label) {
    run.querySelector("use").setAttribute("href", `#ctl-${name}`);
    run.setAttribute("aria-label", label);
  }

  function pause() {
    clearInterval(timer);
    timer = 0;
    picture("play", form.dataset.play);
  }

  function play() {
    clearInterval(timer);
    if (at === last) show(1);
    timer = setInterval(() => show(at + 1), PAUSE_MS / speed);
    picture("pause", form.dataset.pause);
  }

  const toggle = () => (timer ? pause() : play());
  const actions = {
    first: () => show(1),
    prev: () => show(at - 1),
    next: () => show(at + 1),
    last: () => show(last),
    run: toggle,
  };
  for (const [id, act] of Object.entries(actions)) {
    $(id).addEventListener("click", (event) => {
      event.preventDefault();
      if (id !== "run") pause();
      act();
    });
  }
  form.addEventListener("submit", (event) => event.preventDefault());
  slider.addEventListener("input", () => {
    pause();
    show(Number(slider.value));
  });
  $("steps").addEventListener("click", (event) => {
    const link = event.target.closest("a[data-step]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    pause();
    show(Number(link.dataset.step));
  });
  $("speeds").hidden = false;
  $("keys").hidden = false;
  for (const button of document.querySelectorAll("[data-speed]")) {
    button.addEventListener("click", () => {
      speed = Number(button.dataset.speed);
      for (const other of document.querySelectorAll("[data-speed]")) other.removeAttribute("aria-current");
      button.setAttribute("aria-current", "true");
      if (timer) play();
    });
  }
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const onControl = event.target.closest("a, button, input, select, textarea");
    const keys = { ArrowLeft: "prev", ArrowRight: "next", Home: "first", End: "last" };
    if (event.key === " " && (!onControl || onControl === slider)) {
      event.preventDefault();
      toggle();
    } else if (keys[event.key] && onControl !== slider) {
      event.preventDefault();
      pause();
      actions[keys[event.key]]();
    }
  });
  const fromHash = () => Number(/^#step=(\d+)$/.exec(location.hash)?.[1]);
  window.addEventListener("hashchange", () => {
    if (fromHash() && fromHash() !== at) show(fromHash());
  });
  if (fromHash()) show(fromHash());
  else reveal();
}
