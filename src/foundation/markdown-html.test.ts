import fc from 'fast-check';
import { expect, test } from 'vitest';
import { markdownHtml } from './markdown-html.ts';

test('headings, lists, quotes, code, tables and links are shown', () => {
  expect(
    markdownHtml(
      '# A *b*\n\ntext **c** `d<e`\n\n- one\n- two\n  1. deep\n\n> said\n\n| x | y |\n|---|---|\n| 1 | 2 |\n\n```sql\nSELECT 1 < 2\n```\n---',
    ),
  ).toBe(
    '<h1>A <em>b</em></h1>\n<p>text <strong>c</strong> <code>d&lt;e</code></p>\n<ul>\n<li>one</li>\n<li>two\n<ol>\n<li>deep</li>\n</ol>\n</li>\n</ul>\n<blockquote>\n<p>said</p>\n</blockquote>\n<table>\n<thead>\n<tr><th>x</th><th>y</th></tr>\n</thead>\n<tbody>\n<tr><td>1</td><td>2</td></tr>\n</tbody>\n</table>\n<pre><code>SELECT 1 &lt; 2</code></pre>\n<hr>\n',
  );
  expect(markdownHtml('[a](https://x.example/?q=1&r=2) [b](#top) ![c](d.png) <mailto:a@b.c>')).toBe(
    '<p><a href="https://x.example/?q=1&amp;r=2" rel="noopener noreferrer nofollow">a</a> <a href="#top" rel="noopener noreferrer nofollow">b</a> <a href="d.png" rel="noopener noreferrer nofollow">c</a> <a href="mailto:a@b.c" rel="noopener noreferrer nofollow">mailto:a@b.c</a></p>\n',
  );
});

const HOSTILE = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<svg/onload=alert(1)>',
  '<a href="javascript:alert(1)">x</a>',
  '[x](javascript:alert(1))',
  '[x](JaVaScRiPt:alert`1`)',
  '[x](java\u0001script:alert)',
  '[x](&#106;avascript:alert)',
  '[x](data:text/html,<script>)',
  '[x](vbscript:x)',
  '[x](//evil.example)',
  '[x](/\\evil.example)',
  '[x](\\\\evil.example)',
  '[x](https://a"onmouseover="alert)',
  '![x](javascript:alert)',
  '<javascript:alert(1)>',
  '<https://a"onclick="x>',
  '`<script>`',
  '```\n</code></pre><script>\n```',
  '| <script> |\n|---|\n| "><img onerror=x> |',
  '- <iframe srcdoc=x>',
  '> <style>*{}</style>',
  '# <base href=//evil>',
  '**<b onclick=x>**',
  '<!-- --><form action=//evil>',
  '&lt;script&gt;',
  '\0<script\0>',
];

const TAGS = 'h1 h2 h3 h4 h5 h6 p ul ol li blockquote pre code table thead tbody tr th td hr strong em'.split(
  ' ',
);
const LINK = /^<a href="([^"<>]*)" rel="noopener noreferrer nofollow">$/;

/** Each `<` begins a tag of the list, each tag that opens closes, and links go where links may go. */
function expectSafe(html: string): void {
  const open: string[] = [];
  for (const [tag] of html.matchAll(/<[^>]*>?/g)) {
    const to = LINK.exec(tag)?.[1];
    if (to !== undefined) {
      expect(to).toMatch(/^(?:https?:\/\/|mailto:|(?![/\\]{2})(?![^/#?]*:)[#.\w/-])/i);
      open.push('a');
      continue;
    }
    const [, slash, name = ''] = /^<(\/?)([a-z0-9]+)>$/.exec(tag) ?? [];
    expect([...TAGS, 'a'], `${tag} in ${html}`).toContain(name);
    if (slash === '/') expect(open.pop(), html).toBe(name);
    else if (name !== 'hr') open.push(name);
  }
  expect(open).toEqual([]);
  expect(html.replaceAll(/<[^>]*>/g, '')).not.toMatch(/["'<>]/);
}

test.each(HOSTILE)('is text, not HTML: %j', (text) => expectSafe(markdownHtml(text)));

test('whatever is put together of hostile parts is safe', () => {
  const part = fc.oneof(
    fc.constantFrom(
      ...HOSTILE,
      '\n',
      '\n\n',
      '    ',
      '- ',
      '1. ',
      '> ',
      '`',
      '```\n',
      '*',
      '**',
      '|',
      '[',
      ']',
      '(',
      ')',
      '<',
      '>',
      '"',
      "'",
      '&',
    ),
    fc.string({ maxLength: 5 }),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), (parts) => expectSafe(markdownHtml(parts.join('')))),
    { numRuns: 200 },
  );
});

test('a text of brackets ends soon and is not nested for ever', () => {
  expect(markdownHtml('>'.repeat(5_000)).match(/<blockquote>/g)?.length).toBeLessThan(10);
  for (const part of ['[', '*', '`', '# ', '- ', '* ', '|-', '[](', '<https:', ' ', '> - '])
    expectSafe(markdownHtml(part.repeat(50_000)));
});
