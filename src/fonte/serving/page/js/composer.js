// Where a question is written and sent, and an answer that is being written is stopped.

import { freshId, make } from "./dom.js";

export class Composer {
  /** `send(question, signal)` asks; it resolves when the answer has ended, however that was. `keeps`: the question stays in the field. */
  constructor(send, { label, action = "Ask", keeps = false, below = [] }) {
    this.send = send;
    this.running = null;
    this.label = action;
    this.keeps = keeps;
    const on = { keydown: (event) => this.key(event), input: () => this.grow() };
    this.field = make("textarea", { id: freshId("question"), rows: 1, maxlength: 20000, placeholder: label, on });
    this.submit = make("button", { type: "submit", class: "main" }, action);
    this.element = make("form", { class: "composer", on: { submit: (event) => this.go(event) } },
      make("label", { class: "unseen", for: this.field.id }, label),
      make("div", { class: "composer-box" }, this.field, this.submit), ...below);
  }

  key(event) {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    if (!this.running) this.element.requestSubmit();
  }

  async go(event) {
    event.preventDefault();
    if (this.running) return this.running.abort();
    const question = this.field.value.trim();
    if (!question) return this.field.focus();
    this.running = new AbortController();
    this.submit.textContent = "Stop";
    if (!this.keeps) this.field.value = "";
    this.grow();
    await this.send(question, this.running.signal);
    this.running = null;
    this.submit.textContent = this.label;
    return undefined;
  }

  grow() {
    this.field.style.height = "auto";
    this.field.style.height = `${this.field.scrollHeight}px`;
  }
}
