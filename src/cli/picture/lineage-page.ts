import type { LineageGraph, LineageNode } from '../../domain/lineage.ts';
import { escapeHtml } from '../../foundation/escape-html.ts';
import { type Layout, layeredLayout, type Point } from './layered-layout.ts';
import { PAGE_SCRIPT, PAGE_STYLE } from './page-assets.ts';

/** A box of the picture: a model, and at column level the columns of it that take part. */
interface Box {
  readonly id: string;
  readonly title: string;
  readonly kind: string;
  readonly note: string;
  readonly rows: readonly LineageNode[];
  readonly width: number;
  readonly height: number;
}

const HEAD_HEIGHT = 38;
const ROW_HEIGHT = 20;
const BOX_PADDING = 12;
const CHARACTER_WIDTH = 7.2;
const TITLE_MAX = 44;
const MARGIN = 24;

/** One HTML page with the lineage as a picture: no file, font or script from elsewhere, light and dark, usable without a mouse by its list. */
export function lineagePage(graph: LineageGraph, title: string): string {
  const wanted = graph.level === 'model' ? graph.nodes.map(modelBox) : columnBoxes(graph.nodes);
  const boxIds = new Map(
    wanted.flatMap((box) => [box.id, ...box.rows.map(({ id }) => id)].map((id) => [id, box.id] as const)),
  );
  const ends = graph.edges.map(({ from, to }) => ({
    from: boxIds.get(from) as string,
    to: boxIds.get(to) as string,
  }));
  const layout = layeredLayout(wanted, ends, { layerGap: 72, nodeGap: 14 });
  // All boxes of a layer are as wide as the widest: otherwise the arrows of a narrow one run behind its neighbours.
  const boxes = wanted.map((box) => ({ ...box, width: layout.places.get(box.id)?.layerWidth ?? box.width }));
  const boxById = new Map(boxes.map((box) => [box.id, box]));
  const boxOf = (id: string): Box => boxById.get(boxIds.get(id) as string) as Box;
  const width = Math.ceil(layout.width + 2 * MARGIN);
  const height = Math.ceil(layout.height + 2 * MARGIN);
  const edges = graph.edges.map(({ from, to, transformation }, index) => {
    const path = edgePath(
      endPoint(boxOf(from), from, layout, 'right'),
      endPoint(boxOf(to), to, layout, 'left'),
      layout.bends[index] ?? [],
    );
    return `<path class="edge${transformation === undefined ? '' : ` ${transformation}`}" data-from="${escapeHtml(from)}" data-to="${escapeHtml(to)}" d="${path}"/>`;
  });
  const drawn = boxes.map((box) => boxSvg(box, layout.places.get(box.id) as Point, graph.focus));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>${escapeHtml(title)}</title>
<style>${PAGE_STYLE}</style>
</head>
<body>
<header>
<h1>${escapeHtml(title)}</h1>
<p>${boxes.length} ${boxes.length === 1 ? 'box' : 'boxes'}, ${graph.edges.length} ${graph.edges.length === 1 ? 'arrow' : 'arrows'}. Drag to move, wheel to zoom, click ${graph.level === 'model' ? 'a box' : 'a column'} to follow its data, Esc to show all again, 0 to fit.${graph.level === 'model' ? '' : ' Dashed: computed. Dotted: aggregated.'}</p>
<label>Find <input id="find" type="search" autocomplete="off" spellcheck="false"></label>
<ul id="legend">${legend(boxes)}</ul>
</header>
<main>
<svg id="picture" role="img" aria-label="${escapeHtml(title)}" viewBox="0 0 ${width} ${height}" data-width="${width}" data-height="${height}">
<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse"><path d="M0 0 8 4 0 8z"/></marker></defs>
<g transform="translate(${MARGIN} ${MARGIN})">
${edges.join('\n')}
${drawn.join('\n')}
</g>
</svg>
<details><summary>As a list</summary><ul>${listOf(graph)}</ul></details>
</main>
<script>${PAGE_SCRIPT}</script>
</body>
</html>
`;
}

function modelBox(node: LineageNode): Box {
  const note = [node.kind, node.owner].filter((part) => part !== undefined).join(' · ');
  return { id: node.id, title: node.name, kind: node.kind, note, rows: [], ...sizeOf([node.name, note], 0) };
}

function columnBoxes(nodes: readonly LineageNode[]): readonly Box[] {
  return [...Map.groupBy(nodes, ({ name }) => name)].map(([name, rows]) => {
    const kind = rows[0]?.kind ?? 'undeclared';
    const texts = rows.map(({ column = '', type = '' }) => `${column}   ${shortened(type, 20)}`);
    return {
      id: `box:${name}`,
      title: name,
      kind,
      note: kind,
      rows,
      ...sizeOf([name, kind, ...texts], rows.length),
    };
  });
}

function sizeOf(texts: readonly string[], rows: number): { readonly width: number; readonly height: number } {
  const longest = Math.min(TITLE_MAX, Math.max(...texts.map((text) => text.length)));
  const inner = rows === 0 ? 0 : rows * ROW_HEIGHT + 6;
  return {
    width: Math.max(110, Math.round(longest * CHARACTER_WIDTH + 2 * BOX_PADDING)),
    height: HEAD_HEIGHT + inner,
  };
}

function boxSvg(box: Box, { x, y }: Point, focus: string | undefined): string {
  const isFocus = box.id === focus || box.rows.some(({ id }) => id === focus);
  const rows = box.rows.map((row, index) => {
    const top = HEAD_HEIGHT + index * ROW_HEIGHT;
    const type =
      row.type === undefined
        ? ''
        : `<text class="type" x="${box.width - BOX_PADDING}" y="${top + 14}">${escapeHtml(shortened(row.type, 20))}</text>`;
    return `<g class="row${row.id === focus ? ' focus' : ''}" data-id="${escapeHtml(row.id)}" tabindex="0"><rect x="1" y="${top}" width="${box.width - 2}" height="${ROW_HEIGHT}"/><text x="${BOX_PADDING}" y="${top + 14}">${escapeHtml(shortened(row.column ?? '', 30))}</text>${type}</g>`;
  });
  const attributes = box.rows.length === 0 ? ` data-id="${escapeHtml(box.id)}" tabindex="0"` : '';
  return `<g class="box ${className(box.kind)}${isFocus ? ' focus' : ''}"${attributes} data-name="${escapeHtml(box.title)}" transform="translate(${round(x)} ${round(y)})"><title>${escapeHtml(`${box.title}: ${box.note}`)}</title><rect class="frame" width="${box.width}" height="${box.height}" rx="6"/><rect class="mark" width="4" height="${HEAD_HEIGHT - 12}" x="0" y="6" rx="2"/><text class="name" x="${BOX_PADDING}" y="17">${escapeHtml(shortened(box.title, TITLE_MAX))}</text><text class="note" x="${BOX_PADDING}" y="31">${escapeHtml(shortened(box.note, TITLE_MAX))}</text>${rows.join('')}</g>`;
}

function endPoint(box: Box, id: string, { places }: Layout, side: 'left' | 'right'): Point {
  const { x, y } = places.get(box.id) as Point;
  const row = box.rows.findIndex((candidate) => candidate.id === id);
  const middle = row < 0 ? box.height / 2 : HEAD_HEIGHT + row * ROW_HEIGHT + ROW_HEIGHT / 2;
  return { x: side === 'right' ? x + box.width : x, y: y + middle };
}

/** A line that is level at and between the points where it enters and leaves a layer, and smooth in the gaps. */
function edgePath(from: Point, to: Point, bends: readonly Point[]): string {
  let path = `M${round(from.x)} ${round(from.y)}`;
  let last = from;
  for (const point of [...bends, to]) {
    const half = Math.max(24, Math.abs(point.x - last.x) / 2);
    path +=
      point.y === last.y
        ? `L${round(point.x)} ${round(point.y)}`
        : `C${round(last.x + half)} ${round(last.y)} ${round(point.x - half)} ${round(point.y)} ${round(point.x)} ${round(point.y)}`;
    last = point;
  }
  return path;
}

function legend(boxes: readonly Box[]): string {
  const kinds = [...new Set(boxes.map(({ kind }) => kind))].sort();
  return kinds.map((kind) => `<li class="${className(kind)}"><i></i>${escapeHtml(kind)}</li>`).join('');
}

function listOf({ nodes, edges }: LineageGraph): string {
  const before = Map.groupBy(edges, ({ to }) => to);
  return nodes
    .map(({ id, kind }) => {
      const from = (before.get(id) ?? []).map((edge) => escapeHtml(edge.from)).join(', ');
      return `<li>${escapeHtml(id)} (${escapeHtml(kind)})${from === '' ? '' : ` from ${from}`}</li>`;
    })
    .join('');
}

/** Colour groups: what comes from outside, what is stored, what is computed when read, what the business sees. */
function className(kind: string): string {
  switch (kind) {
    case 'undeclared':
    case 'external':
    case 'seed':
      return 'outside';
    case 'view':
    case 'embedded':
      return 'computed';
    case 'semantic':
    case 'metric':
      return 'business';
    default:
      return 'stored';
  }
}

const round = (value: number): string => String(Math.round(value * 10) / 10);
const shortened = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most - 1)}…` : text;
