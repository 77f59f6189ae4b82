import type { YamlScalar } from './tree.ts';

const NEWLINE = 10;
const SPACE = 32;

/** A `|` or simple `>` scalar that begins at `start`, and where the next line begins; undefined for rare forms (explicit indents, folded lines that are indented more). */
export function readBlockScalar(
  text: string,
  start: number,
  parent: number,
): { readonly scalar: YamlScalar; readonly next: number } | undefined {
  const header = /[|>]([-+]?)[ ]*(?:[ ]#[^\n]*)?(?:\n|$)/y;
  header.lastIndex = start;
  const match = header.exec(text);
  if (match === null) return undefined;
  const chomp = match[1] as string;
  const isFolded = text[start] === '>';
  const lines: string[] = [];
  let indent = -1;
  let end = start + 1 + chomp.length;
  let at = header.lastIndex;
  while (at < text.length) {
    const line = at;
    let content = line;
    while (text.charCodeAt(content) === SPACE) content++;
    const newline = text.indexOf('\n', content);
    const lineEnd = newline < 0 ? text.length : newline;
    const width = content - line;
    if (content === lineEnd) {
      // A line of blanks only: longer than the indent it would be content.
      if (indent < 0 ? width > 0 : width > indent) return undefined;
      lines.push('');
    } else {
      if (width <= parent || (indent >= 0 && width < indent)) break;
      if (indent < 0) indent = width;
      if (isFolded && width > indent) return undefined;
      lines.push(text.slice(line + indent, lineEnd));
      end = lineEnd;
    }
    at = newline < 0 ? text.length : newline + 1;
    if (newline < 0) break;
  }
  let blank = 0;
  while (lines.at(-1) === '') {
    lines.pop();
    blank++;
  }
  if (lines.length === 0 && (blank > 0 || chomp === '+' || match[0].includes('#'))) return undefined;
  if (isFolded && lines[0] === '') return undefined;
  if (text.charCodeAt(at - 1) !== NEWLINE && chomp !== '-' && lines.length > 0) return undefined;
  const body = isFolded ? folded(lines) : lines.join('\n');
  const value =
    chomp === '-' || lines.length === 0 ? body : chomp === '+' ? body + '\n'.repeat(blank + 1) : `${body}\n`;
  while (text.charCodeAt(end - 1) === SPACE) end--;
  return {
    scalar: { kind: 'scalar', value, text: value, style: isFolded ? 'folded' : 'literal', start, end },
    next: at,
  };
}

/** Lines joined by blanks; an empty line between is one line end. */
function folded(lines: readonly string[]): string {
  let result = lines[0] ?? '';
  let breaks = 0;
  for (const line of lines.slice(1)) {
    if (line === '') {
      breaks++;
      continue;
    }
    result += (breaks === 0 ? ' ' : '\n'.repeat(breaks)) + line;
    breaks = 0;
  }
  return result;
}
