/** How the page looks, by day and by night, on desks and phones. */
export const explorerStyle = `
:root { color-scheme: light dark; --line: light-dark(#d8dde3, #363c45); --soft: light-dark(#f5f7f9, #1d2127); --paper: light-dark(#ffffff, #15181c);
  --text: light-dark(#1b2430, #e3e8ee); --quiet: light-dark(#5b6673, #9aa5b1); --accent: light-dark(#0b5cad, #6cb2f5); --bad: light-dark(#b00020, #ff8a8a);
  --mono: 13px/20px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
* { box-sizing: border-box; }
body { margin: 0; height: 100vh; height: 100dvh; display: grid; grid-template: auto minmax(0, 1fr) / minmax(14rem, 20rem) minmax(0, 1fr) minmax(0, 1fr); background: var(--paper); color: var(--text); font: 14px/1.45 system-ui, sans-serif; }
header { grid-column: 1 / -1; display: flex; flex-wrap: wrap; gap: .5rem .7rem; align-items: center; padding: .5rem .8rem; border-bottom: 1px solid var(--line); }
h1 { font-size: 1rem; margin: 0 auto 0 0; } h1 span { color: var(--quiet); font-weight: 400; }
h2 { font-size: .75rem; font-weight: 600; margin: 0; min-height: 2.1rem; padding: .2rem .8rem; display: flex; align-items: center; gap: .4rem; color: var(--quiet); background: var(--soft); border-bottom: 1px solid var(--line); }
h2 > :first-child { margin-right: auto; }
section { min-height: 0; min-width: 0; display: flex; flex-direction: column; border-right: 1px solid var(--line); } section:last-of-type { border-right: 0; }
button, select, input { font: inherit; color: inherit; padding: .28rem .7rem; border: 1px solid var(--line); border-radius: 5px; background: var(--soft); } button { cursor: pointer; }
select { max-width: 14rem; }
h2 button { padding: .05rem .5rem; font-size: .75rem; background: transparent; } h2 button[aria-pressed="true"] { background: var(--paper); color: var(--text); border-color: var(--accent); }
button.go { background: var(--accent); color: light-dark(#fff, #08131f); border-color: transparent; font-weight: 600; } button:disabled { opacity: .6; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: -2px; }
.editor { position: relative; flex: 1; min-height: 8rem; }
.editor textarea, .editor pre { position: absolute; inset: 0; margin: 0; white-space: pre; overflow: auto; } .editor textarea { background: transparent; color: transparent; caret-color: var(--text); } .editor pre { overflow: hidden; pointer-events: none; }
textarea, pre { width: 100%; height: 100%; padding: .6rem .8rem; border: 0; resize: none; background: transparent; color: inherit; font: var(--mono); tab-size: 2; }
textarea::selection { background: color-mix(in srgb, var(--accent) 30%, transparent); }
#variables { flex: 0 0 6.5rem; }
#answer, #table { flex: 1; min-height: 0; margin: 0; overflow: auto; }
#suggestions { position: absolute; z-index: 1; margin: 0; padding: .2rem; width: 260px; max-height: 13rem; overflow: auto; list-style: none; background: var(--paper); border: 1px solid var(--line); border-radius: 6px; box-shadow: 0 6px 24px #0003; }
#suggestions li { display: flex; gap: .5rem; justify-content: space-between; padding: .1rem .45rem; border-radius: 4px; cursor: pointer; white-space: nowrap; overflow: hidden; } #suggestions li[aria-selected="true"] { background: color-mix(in srgb, var(--accent) 18%, transparent); }
#search { margin: .5rem .8rem .3rem; }
#schema { flex: 1; overflow: auto; padding: .2rem .6rem 2rem; }
details { padding-left: .8rem; } #schema > details { padding-left: 0; } summary { cursor: pointer; border-radius: 4px; padding: .06rem .2rem; }
.leaf { display: block; width: 100%; text-align: left; padding: .06rem .2rem .06rem 1.15rem; border: 0; background: transparent; border-radius: 4px; } .leaf:hover, summary:hover { background: var(--soft); }
code { font: var(--mono); } .type { color: var(--quiet); font-size: 12px; } .about { color: var(--quiet); font-size: 12px; padding: .1rem .2rem .3rem 1.15rem; }
.group { color: var(--quiet); font-size: 11px; padding: .25rem .2rem 0 1.15rem; }
#status { font-size: 12px; color: var(--quiet); } #status.bad, #errors { color: var(--bad); }
#errors { margin: 0; padding: .5rem .8rem; list-style: none; border-bottom: 1px solid var(--line); max-height: 30%; overflow: auto; font-size: 13px; } .place { padding: 0 .35rem; font: 12px ui-monospace, monospace; color: inherit; }
table { border-collapse: collapse; font-size: 13px; min-width: 100%; } th, td { padding: .25rem .8rem; text-align: left; border-bottom: 1px solid var(--line); white-space: pre; } th { position: sticky; top: 0; background: var(--soft); font-weight: 600; } .number { text-align: right; font-variant-numeric: tabular-nums; } caption { caption-side: bottom; padding: .5rem; color: var(--quiet); }
.probe { visibility: hidden; position: absolute; } [hidden] { display: none !important; }
.k { color: light-dark(#0b5cad, #7cc0ff); } .s { color: light-dark(#176b3a, #8fd6a8); } .n { color: light-dark(#9a4a00, #f0b27a); } .w { color: light-dark(#7b2fa8, #d3a4f2); } .v { color: light-dark(#8a3b62, #f09cc0); } .c { color: var(--quiet); }
@media (max-width: 60rem) { body { height: auto; grid-template: auto / minmax(0, 1fr); } header { grid-column: 1; } section { border-right: 0; border-bottom: 1px solid var(--line); } .asking { order: 1; min-height: 26rem; } .answer { order: 2; min-height: 22rem; } .schema { order: 3; max-height: 70vh; } .answer pre, #table { max-height: 70vh; } }
`;
