// Says at once what the order in an open form will do. Without it a button shows the page with the sentence first.
let timer = 0;
let asking = null;

const saidFor = new WeakMap(); // what was entered into a form when its sentence was made
const formOf = (node) => node?.closest?.("form[data-order]");

function entered(form) {
  const fields = new URLSearchParams(new FormData(form));
  fields.delete("said");
  return fields.toString();
}

async function tell(form, blames = true) {
  asking?.abort();
  const mine = (asking = new AbortController());
  try {
    const [body, now] = [new URLSearchParams(new FormData(form)), entered(form)];
    const answer = await fetch(form.dataset.say, { method: "POST", body, credentials: "same-origin", signal: mine.signal });
    if (!answer.ok) return;
    const sentence = new DOMParser().parseFromString(await answer.text(), "text/html");
    mine.signal.throwIfAborted();
    if (!blames && sentence.querySelector("[data-field]")) return;
    show(form, sentence);
    saidFor.set(form, now);
    form.querySelector("[value=say]").hidden = true;
  } catch (error) {
    if (error.name === "AbortError") return;
    form.querySelector("[data-told]").replaceChildren();
    form.querySelector("[value=say]").hidden = false; // the page's own way still works
  }
}

// What is wrong with a field stands beside that field, as the page without scripts has it.
function show(form, told) {
  form.querySelectorAll("em[data-field]").forEach((old) => old.remove());
  const wrong = told.querySelector("[data-field]");
  const field = wrong?.dataset.field && form.querySelector(`[data-input="${wrong.dataset.field}"]`);
  if (field) {
    const why = Object.assign(document.createElement("em"), { textContent: wrong.textContent });
    why.dataset.field = wrong.dataset.field;
    field.append(why);
    wrong.remove();
  }
  define(told);
  form.querySelector("[data-told]").replaceChildren(...told.body.childNodes);
}

// A sentence may name things whose drawings the page has not used so far.
function define(told) {
  const defined = document.querySelector("svg.defs");
  for (const symbol of told.querySelectorAll("svg.defs > *")) {
    if (!document.getElementById(symbol.id)) defined.append(document.importNode(symbol, true));
  }
  told.querySelector("svg.defs")?.remove();
}

// A sentence that no longer fits what is entered must not stand above the button for a moment. Whoever leaves a field
// to press that button has changed nothing: then it must not go away under their finger.
function changed(event) {
  const form = formOf(event.target);
  if (!form || entered(form) === saidFor.get(form)) return;
  saidFor.delete(form);
  form.querySelector("[data-told] button")?.setAttribute("disabled", "");
  clearTimeout(timer);
  timer = setTimeout(() => tell(form), 250);
}

// A rule without fields says what it will do as soon as it is opened. Nobody has done anything wrong by then.
function opened() {
  const form = document.querySelector("form.order");
  if (form && !form.querySelector("[data-told] p, em[data-field]")) tell(form, false);
}

// Not "change": pressing Enter in a field fires it, and the button that it presses would be off.
document.addEventListener("input", changed);
document.addEventListener("pbem:shown", opened);
opened();
