// The conversation: questions, answers, and what each answer rests on.

import { fetchJson } from "./api.js";
import { question } from "./chat.js";
import { Composer } from "./composer.js";
import { button, make, refill } from "./dom.js";
import { Evidence } from "./evidence.js";
import { Options } from "./options.js";
import { Reply } from "./reply.js";
import { decimal } from "./text.js";
import { MODES } from "./words.js";

export class Ask {
  constructor(section, source) {
    Object.assign(this, { source, history: [] });
    this.options = new Options();
    this.fresh = button("New conversation", () => this.clear(), { class: "quiet small", hidden: true });
    const settings = make("details", { class: "settings" }, make("summary", {}, "Settings"), this.options.element);
    const below = [make("div", { class: "composer-foot" }, settings, this.fresh)];
    this.composer = new Composer((text, signal) => this.ask(text, signal), { label: "Ask your documents", below });
    this.welcome = make("div", { class: "welcome" });
    this.turns = make("div", { class: "turns" });
    section.append(this.welcome, this.turns, this.composer.element);
  }

  /** Says what can be asked: `total` documents. */
  greet(total) {
    if (location.search.includes("answer=")) this.welcome.hidden = true;
    const invitation = "Every answer shows its sources. Open one to read it in the original, or measure which of them really moved the answer.";
    const words = total
      ? [make("h1", {}, "Ask your documents"), make("p", {}, invitation)]
      : [make("h1", {}, "There are no documents yet"), make("p", {}, "Answers come from documents only, so add some first."),
        make("p", {}, make("a", { class: "button", href: "#documents" }, "Add documents"))];
    refill(this.welcome, ...words);
    this.composer.element.hidden = !total;
  }

  async ask(text, signal) {
    const { turn, reply } = this.begin(text);
    turn.scrollIntoView({ block: "start" });
    const again = () => { turn.remove(); this.composer.field.value = text; this.composer.element.requestSubmit(); };
    const answer = await reply.run(question(text, this.history, this.options.wishes()), signal, again);
    if (answer) this.finish(turn, reply, answer);
  }

  /** Shows an answer that was given before. */
  async recall(id) {
    const answer = await fetchJson(`/v1/answers/${id}`);
    const { turn, reply } = this.begin(answer.question);
    reply.end(answer);
    if (!answer.answer) reply.text.notice(answer.reason);
    this.finish(turn, reply, answer);
  }

  begin(text) {
    this.welcome.hidden = true;
    this.fresh.hidden = false;
    const turn = make("article", { class: "turn" }, make("h2", {}, text));
    this.turns.append(turn);
    const reply = new Reply((citation, chip) => this.source.showCitation(citation, chip, passageOf(reply.answer, citation)));
    turn.append(reply.element);
    return { turn, reply };
  }

  finish(turn, reply, answer) {
    remember(answer.record);
    reply.answer = answer;
    if (answer.answer) this.history.push({ role: "user", content: answer.question }, { role: "assistant", content: answer.answer });
    const seconds = Object.values(answer.seconds).reduce((sum, each) => sum + each, 0);
    turn.append(make("p", { class: "made" }, [answer.answer ? MODES[answer.mode] : "", `${decimal(seconds)} s`].filter(Boolean).join(" · ")));
    const changed = (measured) => { reply.answer = measured; reply.show(measured); };
    if (answer.passages.length) turn.append(new Evidence(answer, this.source, changed).element);
  }

  clear() {
    this.history = [];
    this.turns.replaceChildren();
    this.source.close();
    remember("");
    this.welcome.hidden = false;
    this.fresh.hidden = true;
    this.composer.field.focus();
  }
}

/** Puts an answer into the address, so that it is still there when the page is loaded again. */
function remember(record) {
  history.replaceState(null, "", record ? `/?answer=${encodeURIComponent(record)}` : "/");
}

function passageOf(answer, citation) {
  return answer?.passages.find((each) => each.passage_id === citation.passage_id) ?? null;
}
