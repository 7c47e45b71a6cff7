// Elements from values. Text becomes text nodes and nothing else, so that no document or model can write markup.

/** Returns a new element. `options`: `class`, `on` (event handlers), any attribute; true sets it bare, false and null leave it out. */
export function make(tag, options = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(options)) {
    if (name === "on") for (const [event, handler] of Object.entries(value)) element.addEventListener(event, handler);
    else if (value !== false && value !== null && value !== undefined) {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Returns a button that does something on this page. */
export function button(label, action, options = {}) {
  return make("button", { type: "button", ...options, on: { click: action } }, label);
}

/** Replaces what is in `container`; the focus stays on the element with the same `data-key`. */
export function refill(container, ...children) {
  const focused = container.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
  container.replaceChildren(...children.flat().filter(Boolean));
  if (focused !== undefined) container.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
  return container;
}

/** Brings `element` to the middle of the panel that scrolls around it, where it cannot be seen yet; the page itself stays. */
export function reveal(element) {
  const panel = element?.closest("aside");
  if (!panel) return;
  const [inner, outer] = [element.getBoundingClientRect(), panel.getBoundingClientRect()];
  if (inner.top > outer.top && inner.bottom < outer.bottom) return;
  panel.scrollTop += inner.top - outer.top - (outer.height - inner.height) / 2;
}

let last = 0;

/** Returns an id that no other element of the page has. */
export function freshId(name) {
  last += 1;
  return `${name}-${last}`;
}
