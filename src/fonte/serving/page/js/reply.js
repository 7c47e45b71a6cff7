// One reply while it comes: how the question was understood, what the model thinks aloud, the answer, what went wrong.

import { announce, showTrouble } from "./announce.js";
import { AnswerText } from "./answer.js";
import { stream } from "./chat.js";
import { make } from "./dom.js";
import { count } from "./text.js";

export class Reply {
  /** `open(citation, chip)` shows a source; `numbers` maps passage ids to the numbers of chips, where that is known. */
  constructor(open, numbers = null) {
    this.understood = make("p", { class: "understood", hidden: true });
    this.state = make("p", { class: "state" }, "Looking for passages …");
    this.thinking = make("details", { class: "thinking", hidden: true }, make("summary", {}, "The model thinks aloud"), make("p", {}));
    this.text = new AnswerText(open, numbers);
    this.trouble = make("div", { role: "alert" });
    this.element = make("div", { class: "reply" }, this.understood, this.thinking, this.text.element, this.state, this.trouble);
  }

  /** Sends `request` and shows what comes. Returns the answer, null where there is none. */
  async run(request, signal, again = null) {
    announce("Looking for passages.");
    try {
      const { answer } = await stream(request, this.heard(), signal);
      this.end(answer);
      announce(answer.answer ? `Answer: ${answer.answer}` : "The sources do not answer this.");
      return answer;
    } catch (error) {
      this.end(error.answer);
      if (error.name === "AbortError") this.tell("Stopped.");
      else showTrouble(this.trouble, error, again);
      return null;
    }
  }

  /** Shows `answer` in place of what was there. */
  show(answer) {
    this.text.finish(answer);
  }

  heard() {
    return {
      started: (rewriting) => this.understand(rewriting),
      passages: (list) => this.tell(`Reading ${count(list.length, "passage")} …`),
      text: (words) => { this.tell(""); this.text.text(words); },
      thought: (words) => { this.thinking.hidden = false; this.thinking.lastChild.append(words); },
      marker: (marker) => this.text.marker(marker),
      citation: (citation) => this.text.citation(citation),
      notice: (words) => { this.tell(""); this.text.notice(words); },
    };
  }

  understand(rewriting) {
    if (!rewriting || rewriting.by === "none") return;
    this.understood.hidden = false;
    this.understood.textContent = rewriting.by === "model"
      ? `Understood from the conversation as: ${rewriting.question}`
      : `Asked as it was said. ${rewriting.reason}`;
  }

  end(answer) {
    this.show(answer);
    this.tell(answer?.status === "incomplete" ? `Not complete: ${answer.reason}` : "");
  }

  tell(words) {
    this.state.textContent = words;
  }
}
