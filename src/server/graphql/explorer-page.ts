/*
 * A page to explore the schema and ask questions, all in one text. Nothing is loaded from elsewhere, and nothing could be:
 * its policy names the very script and style that it has.
 */
import { createHash } from 'node:crypto';
import { explorerEditor } from './explorer-editor.ts';
import { explorerScript } from './explorer-script.ts';
import { explorerStyle } from './explorer-style.ts';

const script = `'use strict';${explorerEditor}${explorerScript}`;
const hashed = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** The page, and the `content-security-policy` it is sent with. */
export const explorerPage: { readonly html: string; readonly policy: string } = {
  policy: [
    "default-src 'none'",
    `script-src ${hashed(script)}`,
    `style-src ${hashed(explorerStyle)}`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  html: `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>GraphQL</title>
<style>${explorerStyle}</style>
<header>
  <h1><b id="product"></b> <span>GraphQL</span></h1>
  <span id="status" role="status"></span>
  <label>Token <input id="token" type="password" autocomplete="off" size="12" placeholder="plt_…"></label>
  <select id="examples" aria-label="Example"><option>Example…</option></select>
  <button id="copy" type="button">Copy curl</button>
  <button class="go" id="run" type="button" title="Ctrl+Enter" aria-keyshortcuts="Control+Enter">Run</button>
</header>
<section class="schema" aria-label="Schema"><h2><span>Schema</span></h2><input id="search" type="search" placeholder="Find a field" aria-label="Find a field"><div id="schema"></div></section>
<section class="asking" aria-label="Question">
  <h2><label for="query">Query</label><span>Ctrl+Space completes, Ctrl+Enter runs</span></h2>
  <div class="editor"><pre id="paper" aria-hidden="true"></pre><textarea id="query" spellcheck="false" autocapitalize="off" autocomplete="off" role="combobox" aria-autocomplete="list" aria-controls="suggestions" aria-expanded="false" wrap="off"></textarea><ul id="suggestions" role="listbox" aria-label="Suggestions" hidden></ul></div>
  <h2><label for="variables">Variables</label></h2><textarea id="variables" spellcheck="false">{}</textarea>
</section>
<section class="answer" aria-label="Answer"><h2><span>Answer</span><button id="as-json" type="button" aria-pressed="true">JSON</button><button id="as-table" type="button" aria-pressed="false">Table</button></h2><ul id="errors" hidden></ul><pre id="answer" tabindex="0"></pre><div id="table" tabindex="0" hidden></div></section>
<script>${script}</script>
</html>
`,
};
