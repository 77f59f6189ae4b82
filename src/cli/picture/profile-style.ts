/** The style of the page about profiles; colours pass 4.5:1 on their ground in both schemes, and in print there is paper. */
export const PROFILE_STYLE = `
:root{color-scheme:light dark;--ground:#f5f6f8;--panel:#fff;--ink:#1b2330;--faint:#566170;--line:#d5dae2;--bar:#2a6fbb;--soft:#dbe7f5;--drift:#a8410b;--drift-ground:#fdeee4}
@media(prefers-color-scheme:dark){:root{--ground:#12161c;--panel:#1b212a;--ink:#e7ecf3;--faint:#a3afbf;--line:#38424f;--bar:#6fb0f5;--soft:#27405c;--drift:#ffa872;--drift-ground:#3a2417}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:1240px;padding:24px;background:var(--ground);color:var(--ink);font:14px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif}
h1{font-size:24px;margin:0 0 8px}
h2{font-size:19px;margin:36px 0 8px}
h3{font-size:15px;margin:0 0 8px;overflow-wrap:anywhere}
small,dt,figcaption,.axis,footer,summary,nav{color:var(--faint)}
small{font-weight:400}
nav ul{display:flex;flex-wrap:wrap;gap:4px 24px;list-style:none;margin:0;padding:0}
a{color:var(--bar)}
dl{display:grid;grid-template-columns:repeat(auto-fill,minmax(92px,1fr));gap:6px 12px;margin:0 0 10px}
dl div{min-width:0}
dl .wide{grid-column:span 2}
dt{font-size:12px}
dd{margin:0;overflow-wrap:anywhere;font-variant-numeric:tabular-nums}
.facts{display:grid;grid-template-columns:minmax(0,2fr) minmax(260px,1fr);gap:8px 32px;align-items:center;padding:12px 16px;margin-bottom:10px;background:var(--panel);border:1px solid var(--line);border-radius:8px}
.facts dl{grid-template-columns:repeat(auto-fill,minmax(150px,1fr));margin:0}
.facts figure{margin:0}
.overview{width:auto;min-width:60%;background:var(--panel);border:1px solid var(--line);border-radius:8px;border-spacing:0;border-collapse:separate}
.overview th,.overview td{padding:5px 14px;text-align:right;vertical-align:top}
.overview th:first-child,.overview td:last-child,.overview th:last-child{text-align:left;white-space:normal}
.overview thead th{font-size:12px;color:var(--faint)}
.key{margin-left:8px;white-space:nowrap}
.median-key::before,.before-key::before{content:"";display:inline-block;width:12px;height:0;margin-right:4px;vertical-align:middle;border-top:2px solid var(--ink)}
.before-key::before{border-top-color:var(--drift)}
.median{stroke:var(--ink);stroke-width:1.5;stroke-dasharray:3 3;vector-effect:non-scaling-stroke}
polyline.before{stroke:var(--drift);stroke-width:2;vector-effect:non-scaling-stroke}
polygon{fill:var(--soft)}
.values .was{color:var(--drift)}
.mark{font-size:11px;font-weight:600;padding:1px 7px;border-radius:9px;background:var(--drift-ground);color:var(--drift);border:1px solid currentColor}
.drifts{list-style:none;padding:0;margin:0 0 12px}
.drifts li{margin:4px 0;overflow-wrap:anywhere}
.calm{color:var(--faint);margin:0 0 12px}
article .calm{margin:10px 0 0}
.columns{display:grid;grid-template-columns:repeat(auto-fill,minmax(350px,1fr));gap:16px;align-items:start}
article{background:var(--panel);border:1px solid var(--line);border-radius:8px;padding:14px 16px;min-width:0}
article.drifted{border-color:var(--drift)}
.drift{margin:0 0 10px;color:var(--drift);overflow-wrap:anywhere}
figure{margin:10px 0 0}
figcaption{font-size:12px;margin-bottom:4px}
svg{display:block;width:100%;height:96px;background:var(--ground);border-radius:4px}
svg.line{height:auto}
rect,circle{fill:var(--bar)}
polyline{fill:none;stroke:var(--bar);stroke-width:1.5}
.axis{display:flex;justify-content:space-between;font-size:12px;font-variant-numeric:tabular-nums}
summary{font-size:12px;cursor:pointer}
table{width:100%;border-collapse:collapse;font-size:13px}
th{text-align:left;font-weight:400}
th,td{padding:1px 6px 1px 0;vertical-align:middle}
td{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
.values{table-layout:fixed}
.values thead th{font-size:12px;color:var(--faint);text-align:right}
.values th{width:36%;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.values .bar{width:26%}
.bar i{display:block;height:10px;border-radius:2px;background:var(--bar);min-width:1px}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
footer{margin-top:32px;font-size:12px}
@media(max-width:700px){.facts{grid-template-columns:1fr}}
@media print{:root{color-scheme:light;--ground:#fff;--panel:#fff;--ink:#000;--faint:#444;--line:#bbb;--bar:#2a6fbb;--drift:#a8410b;--drift-ground:#fff}body{max-width:none;padding:0}article,.facts{break-inside:avoid}.columns{grid-template-columns:1fr 1fr}rect,.bar i{print-color-adjust:exact}}
`;
