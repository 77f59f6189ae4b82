/** The style of the lineage page; colours pass 4.5:1 on their ground in both schemes. */
export const PAGE_STYLE = `
:root{color-scheme:light dark;--ground:#f7f8fa;--panel:#fff;--ink:#1b2330;--faint:#5b6675;--line:#c9d0da;--edge:#9aa5b4;--outside:#8a5a00;--stored:#1258a8;--computed:#0d7a55;--business:#8a2f8f;--focus:#d9480f}
@media(prefers-color-scheme:dark){:root{--ground:#12161c;--panel:#1c222b;--ink:#e7ecf3;--faint:#a3afbf;--line:#3a4452;--edge:#64707f;--outside:#e0b050;--stored:#6fb0f5;--computed:#5fce9f;--business:#dc9be0;--focus:#ff9a5c}}
*{box-sizing:border-box}
body{margin:0;height:100vh;display:flex;flex-direction:column;background:var(--ground);color:var(--ink);font:13px/1.45 system-ui,-apple-system,"Segoe UI",sans-serif}
header{display:flex;flex-wrap:wrap;gap:4px 20px;align-items:baseline;padding:10px 16px;border-bottom:1px solid var(--line);background:var(--panel)}
h1{font-size:15px;margin:0}
header p{margin:0;color:var(--faint)}
#legend{display:flex;gap:14px;list-style:none;margin:0;padding:0;color:var(--faint)}
#legend i{display:inline-block;width:4px;height:12px;border-radius:2px;margin-right:6px;background:currentColor;vertical-align:-1px}
#legend .outside i{color:var(--outside)}#legend .stored i{color:var(--stored)}#legend .computed i{color:var(--computed)}#legend .business i{color:var(--business)}
input{font:inherit;color:inherit;background:var(--ground);border:1px solid var(--line);border-radius:4px;padding:2px 6px}
main{flex:1;min-height:0;display:flex;flex-direction:column}
svg{flex:1;min-height:0;width:100%;cursor:grab;touch-action:none}
details{max-height:40vh;overflow:auto;padding:6px 16px;border-top:1px solid var(--line);background:var(--panel)}
.frame{fill:var(--panel);stroke:var(--line)}
.outside .mark{fill:var(--outside)}.stored .mark{fill:var(--stored)}.computed .mark{fill:var(--computed)}.business .mark{fill:var(--business)}
text{fill:var(--ink);font:12px ui-monospace,"SFMono-Regular",Menlo,Consolas,monospace}
.name{font-weight:600}
.note,.type{fill:var(--faint);font-size:10.5px}
.type{text-anchor:end}
.row rect{fill:transparent}
.row:hover rect,.row.focus rect{fill:color-mix(in srgb,var(--focus) 18%,transparent)}
.box[data-id],.row{cursor:pointer}
.box.focus>.frame{stroke:var(--focus);stroke-width:2}
.box:focus-visible>.frame,.row:focus-visible rect{stroke:var(--focus);stroke-width:2}
.box:focus,.row:focus{outline:none}
.edge{fill:none;stroke:var(--edge);stroke-width:1.2;marker-end:url(#tip)}
.edge.derived{stroke-dasharray:6 3}
.edge.aggregated{stroke-dasharray:2 3}
#tip path{fill:var(--edge)}
.following .box,.following .edge,.following .row{opacity:.16}
.following .on,.following .box:has(.row.on){opacity:1}
.following .edge.on{stroke:var(--focus);stroke-width:1.8}
.box.found>.frame{stroke:var(--focus);stroke-width:2.5}
`;

/** The behaviour of the lineage page: move, zoom, follow, find. Everything is readable without it. */
export const PAGE_SCRIPT = `
(() => {
  const svg = document.getElementById('picture');
  const full = [0, 0, Number(svg.dataset.width), Number(svg.dataset.height)];
  let view = full.slice();
  const show = () => svg.setAttribute('viewBox', view.join(' '));
  const fit = () => {
    const { clientWidth: w, clientHeight: h } = svg;
    // Never larger than life, and never so small that names cannot be read: then the focus or the start is shown.
    const scale = Math.min(1.25, Math.max(0.65, Math.min(w / full[2], h / full[3])));
    const focus = document.querySelector('.box.focus');
    const at = focus ? focus.transform.baseVal[0].matrix : null;
    const size = [w / scale, h / scale];
    const center = (index, most, own) => most <= size[index] ? (most - size[index]) / 2 : Math.max(0, Math.min(most - size[index], own - size[index] / 2));
    view = [center(0, full[2], at ? at.e + 100 : 0), center(1, full[3], at ? at.f + 40 : full[3] / 2), size[0], size[1]];
    show();
  };
  svg.addEventListener('wheel', (event) => {
    event.preventDefault();
    const box = svg.getBoundingClientRect();
    const factor = Math.exp(Math.max(-60, Math.min(60, event.deltaY)) / 300);
    const x = view[0] + (event.clientX - box.left) / box.width * view[2];
    const y = view[1] + (event.clientY - box.top) / box.height * view[3];
    view = [x - (x - view[0]) * factor, y - (y - view[1]) * factor, view[2] * factor, view[3] * factor];
    show();
  }, { passive: false });
  let drag = null;
  svg.addEventListener('pointerdown', (event) => { drag = { x: event.clientX, y: event.clientY, view: view.slice(), moved: false }; });
  window.addEventListener('pointermove', (event) => {
    if (!drag) return;
    const dx = event.clientX - drag.x, dy = event.clientY - drag.y;
    if (Math.abs(dx) + Math.abs(dy) > 4) drag.moved = true;
    if (!drag.moved) return;
    view = [drag.view[0] - dx / svg.clientWidth * view[2], drag.view[1] - dy / svg.clientHeight * view[3], view[2], view[3]];
    show();
  });
  const edges = [...document.querySelectorAll('.edge')].map((element) => ({ element, from: element.dataset.from, to: element.dataset.to }));
  const follow = (id) => {
    document.querySelectorAll('.on').forEach((element) => element.classList.remove('on'));
    svg.classList.toggle('following', id !== null);
    if (id === null) return;
    const on = new Set([id]);
    for (const [near, far] of [['to', 'from'], ['from', 'to']]) {
      const queue = [id], seen = new Set(queue);
      for (let at = queue.pop(); at !== undefined; at = queue.pop())
        for (const edge of edges) if (edge[near] === at) {
          edge.element.classList.add('on');
          if (!seen.has(edge[far])) { seen.add(edge[far]); on.add(edge[far]); queue.push(edge[far]); }
        }
    }
    document.querySelectorAll('[data-id]').forEach((element) => element.classList.toggle('on', on.has(element.dataset.id)));
  };
  window.addEventListener('pointerup', (event) => {
    const moved = drag && drag.moved;
    const started = drag;
    drag = null;
    if (moved || !started || !svg.contains(event.target)) return;
    const node = event.target.closest('[data-id]');
    follow(node ? node.dataset.id : null);
  });
  const find = document.getElementById('find');
  find.addEventListener('input', () => {
    const word = find.value.trim().toLowerCase();
    let first = null;
    document.querySelectorAll('.box').forEach((box) => {
      const hit = word !== '' && box.dataset.name.toLowerCase().includes(word);
      box.classList.toggle('found', hit);
      if (hit && !first) first = box;
    });
    if (first) {
      const { e, f } = first.transform.baseVal[0].matrix;
      view = [e + 100 - view[2] / 2, f + 40 - view[3] / 2, view[2], view[3]];
      show();
    }
  });
  window.addEventListener('keydown', (event) => {
    if (event.target === find) return;
    if (event.key === 'Escape') follow(null);
    if (event.key === '0') fit();
    if (event.key === 'Enter' && document.activeElement && document.activeElement.dataset.id) follow(document.activeElement.dataset.id);
  });
  window.addEventListener('resize', fit);
  fit();
})();
`;
