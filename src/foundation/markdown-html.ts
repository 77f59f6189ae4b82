/*
 * Markdown of people as HTML that is safe to show: the tags below and no others, without attributes but `href` of links.
 *
 *   text ─▶ blocks (heading, list, quote, code, table, rule, paragraph) ─▶ inline (code, link, strong, em)
 *
 * HTML in the text is text. Images are links, so that nothing is loaded. A link goes to http, https, mailto, or a place in the same
 * site; what else it says is shown and leads nowhere.
 */
import { escapeHtml } from './escape-html.ts';

const TEXT_MAX = 200_000;
const DEPTH_MAX = 6;

/** What is beyond 200,000 characters is left out. */
export function markdownHtml(text: string): string {
  const lines = text
    .slice(0, TEXT_MAX)
    .replaceAll('\0', '�')
    .replaceAll('\t', '    ')
    .split(/\r\n|\r|\n/);
  return blocks(lines, 0);
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const HEADING = /^ {0,3}(#{1,6})(?: (.*))?$/;
const RULE = /^ {0,3}(?:(?:\* *){3,}|(?:- *){3,}|(?:_ *){3,})$/;
const QUOTE = /^ {0,3}> ?(.*)$/;
const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)]) +(.*)$/;
const TABLE_RULE = /^ {0,3}\|?(?: *:?-+:? *\|)+ *(?::?-+:? *)?$/;

function blocks(lines: readonly string[], depth: number): string {
  // Deeper than people write.
  if (depth > DEPTH_MAX) return `<p>${escapeHtml(lines.join('\n'))}</p>\n`;
  let html = '';
  for (let at = 0; at < lines.length; ) {
    const block = blockAt(lines, at, depth);
    html += block.html;
    at = block.next;
  }
  return html;
}

interface Block {
  readonly html: string;
  /** The line behind it. */
  readonly next: number;
}

function blockAt(lines: readonly string[], at: number, depth: number): Block {
  const line = lines[at] ?? '';
  if (line.trim() === '') return { html: '', next: at + 1 };
  const fence = FENCE.exec(line)?.[1];
  if (fence !== undefined) return fenced(lines, at, fence);
  const heading = HEADING.exec(line);
  if (heading !== null) {
    const level = heading[1]?.length ?? 1;
    return { html: `<h${level}>${inline((heading[2] ?? '').trim())}</h${level}>\n`, next: at + 1 };
  }
  if (RULE.test(line)) return { html: '<hr>\n', next: at + 1 };
  if (QUOTE.test(line)) {
    const end = endOf(lines, at, (each) => QUOTE.test(each));
    const inner = lines.slice(at, end).map((each) => QUOTE.exec(each)?.[1] ?? '');
    return { html: `<blockquote>\n${blocks(inner, depth + 1)}</blockquote>\n`, next: end };
  }
  if (ITEM.test(line)) return list(lines, at, depth);
  if (line.includes('|') && TABLE_RULE.test(lines[at + 1] ?? '')) return table(lines, at);
  const end = endOf(lines, at, (each, index) => index === at || !interrupts(each));
  return { html: `<p>${inline(lines.slice(at, end).join('\n').trim())}</p>\n`, next: end };
}

/** The first line from there on of which it does not hold. */
function endOf(
  lines: readonly string[],
  at: number,
  holds: (line: string, index: number) => boolean,
): number {
  let end = at;
  while (end < lines.length && holds(lines[end] ?? '', end)) end++;
  return end;
}

const interrupts = (line: string): boolean =>
  line.trim() === '' || [FENCE, HEADING, RULE, QUOTE, ITEM].some((each) => each.test(line));

function fenced(lines: readonly string[], at: number, fence: string): Block {
  const isEnd = (line: string): boolean =>
    line.trim().startsWith(fence) && line.trim().replaceAll(fence[0] ?? '', '') === '';
  const end = endOf(lines, at + 1, (line) => !isEnd(line));
  const code = lines.slice(at + 1, end).join('\n');
  return { html: `<pre><code>${escapeHtml(code)}</code></pre>\n`, next: end + 1 };
}

function list(lines: readonly string[], at: number, depth: number): Block {
  const tag = /^\d/.test(ITEM.exec(lines[at] ?? '')?.[2] ?? '') ? 'ol' : 'ul';
  let html = '';
  let next = at;
  for (;;) {
    const item = ITEM.exec(lines[next] ?? '');
    if (item === null || (/^\d/.test(item[2] ?? '') ? 'ol' : 'ul') !== tag) break;
    const indent = (item[1]?.length ?? 0) + (item[2]?.length ?? 0) + 1;
    const end = endOf(lines, next + 1, (line) => line.startsWith(' '.repeat(Math.min(indent, 2))));
    const inner = lines.slice(next + 1, end).map((line) => line.replace(/^ {1,4}/, ''));
    const below = inner.length === 0 ? '' : `\n${blocks(inner, depth + 1)}`;
    html += `<li>${inline(item[3] ?? '')}${below}</li>\n`;
    next = end;
  }
  return { html: `<${tag}>\n${html}</${tag}>\n`, next };
}

const cellsOf = (line: string): readonly string[] =>
  line
    .trim()
    .replace(/^\||\|$/g, '')
    .split('|')
    .map((cell) => cell.trim());

function table(lines: readonly string[], at: number): Block {
  const row = (line: string, tag: 'th' | 'td'): string =>
    `<tr>${cellsOf(line)
      .map((cell) => `<${tag}>${inline(cell)}</${tag}>`)
      .join('')}</tr>\n`;
  const end = endOf(lines, at + 2, (line) => line.includes('|'));
  const body = lines.slice(at + 2, end).map((line) => row(line, 'td'));
  return {
    html: `<table>\n<thead>\n${row(lines[at] ?? '', 'th')}</thead>\n<tbody>\n${body.join('')}</tbody>\n</table>\n`,
    next: end,
  };
}

/** Each has a bound, so that a text takes no longer than its length says. */
const INLINE =
  /(?<!`)(`{1,4})(?!`)([^`]{1,2000})\1(?!`)|!?\[([^[\]\n]{0,500})\]\(([^()\s]{0,2000})\)|<((?:https?:|mailto:)[^\s<>]{1,2000})>|\*\*([^*\n]{1,500})\*\*|\*([^*\n]{1,500})\*/g;

function inline(text: string): string {
  let html = '';
  let done = 0;
  for (const found of text.matchAll(INLINE)) {
    const [whole, , code, words, to, address, strong, em] = found;
    html += escapeHtml(text.slice(done, found.index));
    done = found.index + whole.length;
    if (code !== undefined) html += `<code>${escapeHtml(code.trim())}</code>`;
    else if (words !== undefined) html += link(words, to ?? '');
    else if (address !== undefined) html += link(address, address);
    else if (strong !== undefined) html += `<strong>${escapeHtml(strong)}</strong>`;
    else html += `<em>${escapeHtml(em ?? '')}</em>`;
  }
  return html + escapeHtml(text.slice(done));
}

function link(words: string, to: string): string {
  const shown = escapeHtml(words);
  return isSafe(to)
    ? `<a href="${escapeHtml(to)}" rel="noopener noreferrer nofollow">${shown}</a>`
    : `${shown} (${escapeHtml(to)})`;
}

/** Only what certainly names one of these schemes, or none: browsers skip control characters and read `//` as another site. */
function isSafe(to: string): boolean {
  if (/^(?:https?:\/\/|mailto:)[!-~]+$/i.test(to)) return true;
  return /^[#.\w/-][!-~]*$/.test(to) && !/^[/\\]{2}|^[^/#?]*:|\\/.test(to);
}
