// What this browser remembers for the site. It may forbid that; then it is remembered until the page is closed.
const MOST = 50;
const unstored = new Map();

export function read(name) {
  if (unstored.has(name)) return unstored.get(name);
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

export function write(name, value) {
  try {
    localStorage.setItem(name, value);
    unstored.delete(name);
  } catch {
    unstored.set(name, value);
  }
}

// What is remembered of several matches or seats, by their names. What cannot be read is written anew.
export function entries(name) {
  try {
    return JSON.parse(read(name)) ?? {};
  } catch {
    return {};
  }
}

// Remembers one of them; of too many the one written longest ago goes.
export function writeEntry(name, key, value) {
  const { [key]: _, ...others } = entries(name);
  write(name, JSON.stringify(Object.fromEntries([...Object.entries(others).slice(1 - MOST), [key, value]])));
}
