/** The page at `/`: which products there are, how they are doing, and where they are asked. It has no script. */
import { createHash } from 'node:crypto';
import type { ProductPage } from '../../../domain/product-page.ts';
import { escapeHtml } from '../../../foundation/escape-html.ts';

const STYLE = `
:root { color-scheme: light dark; --back: light-dark(#ffffff, #14171b); --soft: light-dark(#f5f7f9, #1b1f25); --line: light-dark(#dfe3e8, #2d333b);
  --text: light-dark(#1d2229, #dfe4ea); --dim: light-dark(#5b6673, #98a3b0); --accent: light-dark(#0b5cad, #6cb2f5);
  --good: light-dark(#0a6b3d, #5fd39a); --bad: light-dark(#b3261e, #ff8a80); }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 2rem clamp(1rem, 3vw, 3rem) 4rem; background: var(--back); color: var(--text); font: 15px/1.55 system-ui, -apple-system, "Segoe UI", sans-serif; }
h1 { font-size: 1.6rem; margin: 0; } h2 { font-size: 1.2rem; margin: 0; } p { margin: .3rem 0; overflow-wrap: anywhere; }
a { color: var(--accent); text-decoration: none; } a:hover { text-decoration: underline; } :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
section { border: 1px solid var(--line); border-radius: 8px; padding: 1rem 1.2rem; margin: 1.2rem 0; }
ul.links { list-style: none; padding: 0; margin: .5rem 0; display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; }
.dim { color: var(--dim); font-size: .88rem; } .good { color: var(--good); } .bad { color: var(--bad); }
.wide { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; vertical-align: top; padding: .3rem .8rem .3rem 0; border-bottom: 1px solid var(--line); } th { color: var(--dim); font-weight: 600; }
td.number, th.number { text-align: right; } code { font: .9em ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
`;

/** Nothing runs or is loaded; only the style of the page itself counts. */
export const START_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** A product as far as the reader may see it. */
export interface StartProduct {
  readonly slug: string;
  readonly title: string;
  readonly version?: string | undefined;
  readonly description?: string | undefined;
  /** Absent when the reader may not ask about it, or it does not answer. */
  readonly state?: {
    readonly environment: string;
    readonly health: ProductPage['health'];
    readonly models: readonly StartModel[];
  };
  /** Link by its words. */
  readonly links: Readonly<Record<string, string>>;
}

interface StartModel {
  readonly name: string;
  readonly kind: string;
  readonly columns: number;
  readonly description?: string | undefined;
}

export interface StartView {
  readonly version: string;
  readonly isReady: boolean;
  /** What cannot be used of some product. */
  readonly lacking: readonly string[];
  /** Undefined: the reader showed no credential. */
  readonly products: readonly StartProduct[] | undefined;
  readonly links: Readonly<Record<string, string>>;
}

/** More models than this are counted. */
const MODELS_MAX = 200;

export function startPage({ version, isReady, lacking, products, links }: StartView): string {
  const missing = escapeHtml(lacking.join(' and '));
  const health = isReady
    ? `<span class="good">ready</span>${missing && ` · <span class="bad">a product lacks its ${missing}</span>`}`
    : `<span class="bad">not ready: ${missing}</span>`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Plinth</title><style>${STYLE}</style></head>
<body><header><h1>Plinth</h1><p class="dim">version ${escapeHtml(version)} · ${health}</p>${linkList(links)}</header>
<main>${productsHtml(products)}</main></body></html>`;
}

function productsHtml(products: StartView['products']): string {
  if (products === undefined)
    return `<section><p>This server asks who you are: products and models are shown to callers with a credential.</p>
<p><code>plinth token create --user NAME</code> makes a token; it goes into the header <code>Authorization: Bearer</code>.</p></section>`;
  if (products.length === 0) return '<section><p>There are no products that you may see.</p></section>';
  return products.map(productHtml).join('');
}

function productHtml({ slug, title, version, description, state, links }: StartProduct): string {
  return `<section><h2>${escapeHtml(title)}</h2>
<p class="dim"><code>${escapeHtml(slug)}</code>${version === undefined ? '' : ` ${escapeHtml(version)}`}${stateHtml(state)}</p>
${description === undefined ? '' : `<p>${escapeHtml(description)}</p>`}${linkList(links)}${modelsHtml(state?.models ?? [])}</section>`;
}

function stateHtml(state: StartProduct['state']): string {
  if (state === undefined) return '';
  const { environment, health } = state;
  const words =
    health === 'empty'
      ? 'nothing was applied yet: <code>plinth plan</code> does it'
      : `<span class="${health === 'healthy' ? 'good' : 'bad'}">${health}</span>`;
  return ` · ${escapeHtml(environment)} · ${words}`;
}

function modelsHtml(models: readonly StartModel[]): string {
  if (models.length === 0) return '';
  const rows = models
    .slice(0, MODELS_MAX)
    .map(
      ({ name, kind, columns, description = '' }) =>
        `<tr><td><code>${escapeHtml(name)}</code></td><td>${escapeHtml(kind)}</td><td class="number">${columns}</td><td>${escapeHtml(description)}</td></tr>`,
    );
  const rest = models.length - rows.length;
  return `<div class="wide"><table><thead><tr><th>model</th><th>kind</th><th class="number">columns</th><th>description</th></tr></thead><tbody>${rows.join('')}</tbody></table></div>${rest === 0 ? '' : `<p class="dim">and ${rest} more</p>`}`;
}

const linkList = (links: Readonly<Record<string, string>>): string =>
  `<ul class="links">${Object.entries(links)
    .map(([words, link]) => `<li><a href="${escapeHtml(link)}">${escapeHtml(words)}</a></li>`)
    .join('')}</ul>`;
