"use strict";
// All that a client or a model made up reaches the page as text, never as HTML.
const COLOURS = 9, MOST_GROUPS = 200, MOST_PIPS = 40, PAUSE = 150;
const UNSEEN = /[\u0000-\u001f\u007f-\u00a0\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;
const at = (id) => document.getElementById(id);
const number = (value) => value.toLocaleString("en");
const shown = (value) => String(value).replace(UNSEEN, (sign) => "\\u" + sign.charCodeAt(0).toString(16).padStart(4, "0"));
const words = (count) => (count === 1 ? "1 word" : `${number(count)} words`);

let model = null, trigger = [], asked = 0, timer = 0, token = "", running = null;

function make(tag, settings = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(settings)) {
    if (name === "class") element.className = value;
    else if (name === "press") element.addEventListener("click", value);
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

const name = (value) => make("bdi", {}, shown(value));
const fill = (id, ...children) => at(id).replaceChildren(...children);

function listed(parts) {
  return parts.flatMap((part, place) => {
    const before = place === 0 ? "" : place === parts.length - 1 ? " and " : ", ";
    return [before, part];
  });
}

async function call(path, body, signal) {
  const headers = { Accept: "application/json" };
  if (token) headers.Authorization = `Bearer ${token}`;
  if (body) headers["Content-Type"] = "application/json";
  const answer = await fetch(path, { method: body ? "POST" : "GET", headers, body: body && JSON.stringify(body), signal });
  const found = await answer.json();
  if (answer.ok) return found;
  const problem = new Error(found.errors?.length ? `${found.detail} ${found.errors[0].pointer}: ${found.errors[0].detail}.` : found.detail);
  problem.status = answer.status;
  problem.wait = Number(answer.headers.get("Retry-After")) || 0;
  throw problem;
}

function trouble(error) {
  at("trouble").hidden = !error;
  if (!error) return;
  at("token-form").hidden = error.status !== 401;
  fill("trouble", error.status ? shown(error.message) : "The service does not answer. Is it still running?");
}

async function begin() {
  try {
    model = await call("/v1/model");
  } catch (error) {
    trouble(error);
    return;
  }
  trouble(null);
  at("token-form").hidden = true;
  document.title = `${shown(model.name)} · textward`;
  const kind = model.groups === "words" ? "every word casts a ballot" : typeof model.groups === "number" ? `${words_of_groups()}, ${model.learner}` : `${shown(model.groups)}, ${model.learner}`;
  fill("model", name(model.name), ` · ${kind}`);
  fill("assumptions", ...model.assumptions.map((one) => make("li", {}, shown(one))));
  const training = model.training;
  const facts = {
    "trained on": `${number(training.n)} rows (${Object.entries(training.class_counts).map(([one, n]) => `${shown(one)} ${number(n)}`).join(", ")})`,
    "digest of the rows": training.digest,
    "hash of the words": model.hash ?? "none: no two words share a group",
    seed: model.seed,
    versions: Object.entries(training.versions).map(([one, version]) => `${one} ${version}`).join(", "),
  };
  fill("facts", ...Object.entries(facts).flatMap(([one, value]) => [make("dt", {}, one), make("dd", {}, shown(value))]));
  at("text").maxLength = model.limits.text_characters;
  if (!at("text").value) at("text").value = "A warm, moving and beautifully acted film: funny, honest, touching, and one of the best of the year.";
  ask();
}

const words_of_groups = () => (model.groups === 1 ? "1 group" : `${number(model.groups)} groups`);

function soon() {
  clearTimeout(timer);
  timer = setTimeout(ask, PAUSE);
}

async function ask() {
  if (!model) return;
  clearTimeout(timer);
  running?.abort();
  running = new AbortController();
  const mine = ++asked, text = at("text").value;
  try {
    const found = await call("/v1/explain", { text, trigger: trigger.join(" ") }, running.signal);
    if (mine !== asked) return;
    trouble(null);
    show(found, text);
  } catch (error) {
    if (error.name === "AbortError" || mine !== asked) return;
    trouble(error);
    if (error.status === 503) timer = setTimeout(ask, 1000 * Math.max(1, error.wait));
  }
}

function show(found, text) {
  for (const id of ["answer", "attack", "voters", "reading"]) at(id).hidden = false;
  fill("text-note", `${number([...text].length)} characters, ${words(found.words.length + found.words_left_out)}`);
  answered(found);
  attacked(found);
  voted(found);
  read(found);
  suggest(found);
}

function answered(found) {
  const certified = found.radius !== null;
  fill("label", shown(found.label));
  fill("radius", ...(certified ? ["radius ", make("b", {}, number(found.radius))] : ["no certificate"]));
  fill("said", verdict(found));
  const most = Math.max(1, ...Object.values(found.votes));
  fill("scores", ...Object.entries(found.votes).map(([one, votes]) => {
    const bar = make("i");
    bar.style.width = `${(100 * votes) / most}%`;
    const units = found.votes_unit > 1 ? (votes / found.votes_unit).toFixed(2) : number(votes);
    return make("li", one === String(found.label) ? { class: "wins" } : {}, name(one), make("span", { class: "track" }, bar), make("span", { class: "score" }, units));
  }));
}

function verdict(found) {
  if (found.radius === null) return "This model certifies nothing: the answer is a plain prediction.";
  if (found.handed_over) return "The ballots lead by too little here, so the plain classifier behind them answered. Of its answers nothing is certified.";
  if (found.radius === 0) return "A single trigger word might change this answer. Treat it as open to attack.";
  return `No trigger of ${words(found.radius)} or fewer can have changed this answer: not in the training rows, not in the text, wherever and however often it stands.`;
}

function attacked(found) {
  const used = found.trigger.words.length, certified = found.radius !== null;
  const budget = found.radius ?? 0, over = certified && !found.trigger.stands;
  at("budget").className = over ? "card budget over" : "card budget";
  document.querySelector(".verdict").classList.toggle("lost", over);
  const pips = Math.min(MOST_PIPS, Math.max(budget, used));
  fill("pips", ...Array.from({ length: pips }, (_, place) => make("i", { class: place >= budget ? "extra" : place < used ? "used" : "" })));
  fill("spent", certified ? `${words(used)} dropped in, of a budget of ${number(budget)}` : `${words(used)} dropped in`);
  fill("outcome", ...outcome(found, used, budget));
  fill("now", ...(used ? [`In this text alone, with the model as it was trained, ${found.trigger.words.length === 1 ? "it makes" : "they make"} the answer `, name(found.trigger.now.label), found.trigger.now.handed_over ? ", given by the plain classifier." : "."] : []));
  fill("falls", ...falls(found));
}

function outcome(found, used, budget) {
  if (found.radius === null) return ["Without a certificate nothing is promised."];
  if (found.handed_over) return ["Nothing is promised of an answer that was handed over."];
  if (!used) return ["Nothing is dropped in yet."];
  const holds = make("span", { class: "holds" }, "The label stands. ");
  if (used <= budget) return [holds, `Whatever ${used === 1 ? "this word does" : `these ${words(used)} do`}, ${name_of(found.label)} remains: that is what the radius promises.`, ...reached(found)];
  if (found.trigger.stands) return [holds, "The budget is spent, but of these very words it can still be proven: ", ...reached(found)];
  return [make("span", { class: "broken" }, "No promise any more. "), ...reached(found)];
}

const name_of = (value) => `\u2068${shown(value)}\u2069`;

function reached(found) {
  const worst = found.trigger.worst;
  if (!worst) return found.trigger.stands ? [] : ["More words are dropped in than the radius bears."];
  const one = found.trigger.words.length === 1;
  const [they, their] = one ? ["it", "its"] : ["they", "their"];
  if (found.kind === "ballots") {
    const left = (worst.label_votes - worst.rival_votes) / found.votes_unit;
    const tie = left === 0 && found.trigger.stands ? ", and the tie goes to it" : "";
    return left >= 0
      ? [` At ${their} worst ${they} ${one ? "leaves" : "leave"} ${name_of(found.label)} a lead of ${left.toFixed(2)} ballots over ${name_of(worst.rival)}${tie}.`]
      : [` At ${their} worst ${they} ${one ? "puts" : "put"} ${name_of(worst.rival)} ${(-left).toFixed(2)} ballots ahead of ${name_of(found.label)}.`];
  }
  const groups = found.trigger.groups.map((one) => String(one));
  const tie = worst.label_votes === worst.rival_votes ? "; a tie goes to the class that comes first" : "";
  const which = groups.length === 1 ? "group" : "groups";
  return [` ${one ? "It reaches" : "They reach"} ${which} `, ...listed(groups), ` of ${number(found.groups.length)}. At ${their} worst: ${number(worst.label_votes)} for ${name_of(found.label)}, ${number(worst.rival_votes)} for ${name_of(worst.rival)}${tie}.`];
}

function falls(found) {
  const least = found.falls;
  if (!least || found.handed_over) return [];
  if (least.exact) {
    const groups = least.groups.map((one) => String(one));
    const which = groups.length === 1 ? ", in group " : ", one in each of groups ";
    return ["The smallest trigger that could change it has exactly ", make("b", {}, words(least.size)), which, ...listed(groups),
      `: then ${number(least.label_votes)} for ${name_of(found.label)} against ${number(least.rival_votes)} for ${name_of(least.rival)}.`];
  }
  const spoke = least.words.map((one) => make("q", {}, name(one)));
  const support = spoke.length ? [", of which ", ...listed(spoke), spoke.length === 1 ? " stands in the text already" : " stand in the text already"] : [];
  return ["From ", make("b", {}, words(least.size)), " on nothing is promised: so many, aimed at ", name(least.rival), ...support, ", could take the lead away."];
}

function voted(found) {
  const groups = found.kind === "groups";
  at("voters").hidden = !groups;
  if (!groups) return;
  fill("voters-title", `The ${words_of_groups()} and their votes`);
  fill("voters-note", "Every word belongs to one group, and each group's model has seen that group's words alone. So one trigger word reaches one vote. Dashed frames: the smallest trigger that could change the answer.");
  const worst = new Set(found.falls?.groups ?? []);
  const tiles = found.groups.slice(0, MOST_GROUPS).map((one) => {
    const classes = [`g${one.group % COLOURS}`];
    if (one.vote !== found.label) classes.push("against");
    if (one.reached) classes.push("reached");
    if (worst.has(one.group)) classes.push("worst");
    const tile = make("li", { class: classes.join(" ") }, make("span", { class: "who" }, `group ${one.group} · ${words(one.words)}`), name(one.vote));
    if (one.reached) tile.append(make("span", { class: "mark" }, "reached: may say anything"));
    return tile;
  });
  if (found.groups.length > MOST_GROUPS) tiles.push(make("li", { class: "g6" }, `… and ${number(found.groups.length - MOST_GROUPS)} more groups`));
  fill("groups", ...tiles);
}

function read(found) {
  const planted = new Set(found.trigger.words.map((one) => one.word));
  const classes = Object.keys(found.votes);
  const spans = [...found.words, ...found.trigger.words.filter((one) => !one.in_text).map((one) => ({ ...one, text: one.word }))].map((one) => {
    const span = make("span", { class: "word" }, name(one.text));
    if (found.kind === "groups") {
      span.classList.add(`g${one.group % COLOURS}`);
      span.append(make("sub", {}, String(one.group)));
    } else if (found.kind === "ballots") leaning(span, one.ballot, classes, found.votes_unit);
    if (planted.has(one.text)) span.classList.add("planted");
    return span;
  });
  if (found.words_left_out) spans.push(make("em", {}, `… and ${number(found.words_left_out)} more words`));
  if (!spans.length) spans.push(make("em", {}, "no words"));
  fill("words", ...spans);
  const legend = classes.map((one, place) => make("span", { class: "legend" }, make("i", { class: `g${place % COLOURS}` }), name(one)));
  const note = found.kind === "opaque"
    ? ["The words of the text. A word of this model reaches several voters at once, which are not drawn. Upper and lower case are the same word."]
    : found.kind === "groups"
    ? ["The words of the text, in the colours of their groups. Upper and lower case are the same word; the order does not count."]
    : ["Every word speaks for a class, more or less firmly; words the model never saw say nothing. ", ...legend];
  fill("reading-note", ...note);
}

function leaning(span, ballot, classes, unit) {
  const best = ballot.indexOf(Math.max(...ballot)), rest = Math.max(...ballot.filter((_, place) => place !== best));
  const lead = (ballot[best] - rest) / unit;
  if (ballot[best] === 0) {
    span.title = "never seen in training";
    return;
  }
  span.classList.add(`g${best % COLOURS}`);
  span.style.setProperty("--lean", `${Math.round(8 + 40 * Math.min(1, lead))}%`);
  span.title = classes.map((one, place) => `${shown(one)} ${(ballot[place] / unit).toFixed(2)}`).join(", ");
}

function suggest(found) {
  const groups = new Map(found.trigger.words.map((one) => [one.word, one.group]));
  const offered = model.trigger_words.map((one) => one.word);
  for (const one of model.trigger_words) if (!groups.has(one.word)) groups.set(one.word, one.group);
  const focused = document.activeElement?.dataset?.word;
  fill("suggested", ...[...offered, ...trigger.filter((one) => !offered.includes(one))].map((word) => {
    const group = groups.get(word.toLowerCase()), inside = trigger.includes(word);
    const button = make("button", { type: "button", "aria-pressed": String(inside), "data-word": word, press: () => toggle(word) }, name(word));
    if (group !== null && group !== undefined) button.append(make("small", {}, `group ${group}`));
    return button;
  }));
  if (focused !== undefined) [...at("suggested").children].find((one) => one.dataset.word === focused)?.focus();
  at("clear").hidden = !trigger.length;
}

function toggle(word) {
  trigger = trigger.includes(word) ? trigger.filter((one) => one !== word) : [...trigger, word];
  ask();
}

at("text").addEventListener("input", soon);
at("own").addEventListener("submit", (event) => {
  event.preventDefault();
  const more = at("word").value.split(/\s+/u).filter((one) => one && !trigger.includes(one));
  trigger = [...trigger, ...new Set(more)];
  at("word").value = "";
  ask();
});
at("clear").addEventListener("click", () => {
  trigger = [];
  at("word").focus();
  ask();
});
at("token-form").addEventListener("submit", (event) => {
  event.preventDefault();
  token = at("token").value.trim();
  at("token").value = "";
  begin();
});
begin();
