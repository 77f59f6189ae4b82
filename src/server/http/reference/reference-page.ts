/** The reference of an API as one page, from its OpenAPI document: nothing is loaded from elsewhere, and it can be read without its script. */
import { createHash } from 'node:crypto';
import { escapeHtml } from '../../../foundation/escape-html.ts';
import type { OpenapiDocument } from '../openapi/openapi-document.ts';
import { type OperationContext, operationHtml, type ReferenceOperation } from './operation-html.ts';
import { PAGE_SCRIPT } from './page-script.ts';
import { PAGE_STYLE } from './page-style.ts';
import { proseHtml } from './prose-html.ts';

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Nothing runs or is shown but what the page itself has. */
export const REFERENCE_POLICY = [
  "default-src 'none'",
  `style-src ${hashOf(PAGE_STYLE)}`,
  `script-src ${hashOf(PAGE_SCRIPT)}`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** What of the page depends on where it was asked for. */
export interface ReferencePlace {
  /** The address of the API as the reader wrote it, for the lines to paste. */
  readonly base: string;
  readonly documentPath: string;
}

/** Makes the page once; the place is filled in for each reader. */
export function referencePage(document: OpenapiDocument): (place: ReferencePlace) => string {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]): ReferenceOperation => ({ method: method.toUpperCase(), path, operation }),
    ),
  );
  const takesApikey = document.components.securitySchemes['apikey'] !== undefined;
  const context: OperationContext = {
    credential: takesApikey ? 'apikey: $TOKEN' : 'Authorization: Bearer $TOKEN',
    responses: document.components.responses,
  };
  const groups = document.tags.map(({ name, description }) => ({
    name,
    description,
    operations: operations.filter(({ operation }) => operation.tags.includes(name)),
  }));
  const navigation = groups
    .map(
      ({ name, operations: own }) =>
        `<div data-group><h2><a href="#group-${escapeHtml(name)}">${escapeHtml(name)}</a></h2><ol>${own
          .map(
            ({ method, operation }) =>
              `<li><a href="#${escapeHtml(operation.operationId)}" title="${escapeHtml(operation.summary)}"><span class="verb ${method.toLowerCase()}">${method}</span><span>${escapeHtml(operation.operationId)}</span></a></li>`,
          )
          .join('')}</ol></div>`,
    )
    .join('');
  const sections = groups
    .map(
      ({ name, description, operations: own }) =>
        `<section id="group-${escapeHtml(name)}" data-group><h2>${escapeHtml(name)}</h2><p>${proseHtml(description)}</p>${own
          .map((each) => operationHtml(each, context))
          .join('')}</section>`,
    )
    .join('');
  const { title, description, version } = document.info;
  return ({ base, documentPath }) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} reference</title><style>${PAGE_STYLE}</style></head>
<body><a class="skip" href="#content">To the content</a>
<nav aria-label="Operations"><a class="title" href="#content">${escapeHtml(title)}</a><span class="version">version ${escapeHtml(version)} · ${operations.length} operations</span>
<input id="search" type="search" placeholder="Search: cancel, lineage, limit …" aria-label="Search operations" autocomplete="off" spellcheck="false">
<p class="none" id="none" hidden>Nothing has all of these words.</p><div class="list">${navigation}</div></nav>
<main id="content" tabindex="-1"><header><h1>${escapeHtml(title)}</h1><p>${proseHtml(description)}</p>
<p>${takesApikey ? 'A token (<code>plt_…</code>) goes into the header <code>apikey</code>, a JWT into <code>Authorization: Bearer</code>; one of them, once.' : 'A token (<code>plt_…</code>) or a JWT goes into <code>Authorization: Bearer</code>.'}
Times are RFC 3339 in UTC. Lists take <code>limit</code> and <code>cursor</code>, and answer <code>items</code> and <code>next_cursor</code>. Errors are <code>application/problem+json</code> with a <code>code</code> that <code>plinth explain CODE</code> explains.
The same as data: <a href="${escapeHtml(documentPath)}">openapi.json</a>.</p>
<figure><figcaption>for the lines below <button type="button" class="copy">copy</button></figcaption><pre tabindex="0">export BASE=${escapeHtml(base)}
export TOKEN=plt_…   # plinth token create --user NAME</pre></figure>
<p class="type keys"><kbd>/</kbd> search · <kbd>Enter</kbd> first found · <kbd>j</kbd> <kbd>k</kbd> next and previous · <kbd>Esc</kbd> all again</p></header>
${sections}</main><script>${PAGE_SCRIPT}</script></body></html>`;
}
