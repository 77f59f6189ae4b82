/**
 * Whether a text is one of a pattern in which `*` stands for any characters and `?` for one. Two pointers and one place to go back
 * to: linear in practice, and no pattern takes more than the product of the lengths.
 */
export function matchesGlob(text: string, pattern: string): boolean {
  let [t, p, star, back] = [0, 0, -1, 0];
  while (t < text.length) {
    if (pattern[p] === '*') [star, back, p] = [p, t, p + 1];
    else if (pattern[p] === '?' || pattern[p] === text[t]) [t, p] = [t + 1, p + 1];
    else if (star >= 0) [p, back, t] = [star + 1, back + 1, back + 1];
    else return false;
  }
  while (pattern[p] === '*') p++;
  return p === pattern.length;
}
