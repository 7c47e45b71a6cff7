// Offsets of the API count code points, JavaScript counts UTF-16 units; and how numbers are written.

/** Returns the code points of `text` from `start` up to `end`. */
export function slice(text, start, end) {
  return Array.from(text).slice(start, end).join("");
}

/** Returns a number with three significant digits at most. */
export function short(value) {
  return new Intl.NumberFormat("en", { maximumSignificantDigits: 3 }).format(value);
}

/** Returns a number with one decimal, and a true minus sign. */
export function decimal(value) {
  const rounded = Math.abs(value).toFixed(Math.abs(value) < 0.095 ? 2 : 1);
  return value < 0 && Number(rounded) !== 0 ? `−${rounded}` : rounded;
}

/** Returns "1 page", "2 pages". */
export function count(number, one, many = `${one}s`) {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}

/** Returns a size in bytes for people. */
export function bytes(size) {
  if (size < 1000) return count(size, "byte");
  return size < 1_000_000 ? `${short(size / 1000)} kB` : `${short(size / 1_000_000)} MB`;
}
