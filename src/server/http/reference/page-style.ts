/** How the reference looks, in light and dark, on a desk and on a phone. */
export const PAGE_STYLE = `
:root { color-scheme: light dark;
  --back: light-dark(#ffffff, #14171b); --soft: light-dark(#f5f7f9, #1b1f25); --line: light-dark(#dfe3e8, #2d333b);
  --text: light-dark(#1d2229, #dfe4ea); --dim: light-dark(#5b6673, #98a3b0); --accent: light-dark(#0b5cad, #6cb2f5);
  --get: light-dark(#0a6b3d, #5fd39a); --post: light-dark(#0b5cad, #6cb2f5); --put: light-dark(#8a5a00, #e6b450);
  --delete: light-dark(#b3261e, #ff8a80); --code: light-dark(#f0f3f6, #0e1114); }
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0; background: var(--back); color: var(--text); font: 15px/1.55 system-ui, -apple-system, "Segoe UI", sans-serif;
  display: grid; grid-template-columns: 19rem minmax(0, 1fr); }
a { color: var(--accent); text-decoration: none; } a:hover { text-decoration: underline; }
code, pre, .verb { font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace; font-size: .88em; }
.skip { position: absolute; left: -99rem; } .skip:focus { left: 1rem; top: 1rem; background: var(--back); padding: .5rem 1rem; z-index: 2; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; overscroll-behavior: contain; border-right: 1px solid var(--line); background: var(--soft); padding: 1rem .9rem 3rem; }
nav .title { font-weight: 650; font-size: 1.05rem; display: block; color: inherit; }
nav .version { color: var(--dim); font-size: .82rem; }
nav input { width: 100%; margin: .8rem 0 .4rem; padding: .45rem .6rem; font: inherit; color: inherit; background: var(--back); border: 1px solid var(--line); border-radius: 6px; }
nav h2 { font-size: .74rem; letter-spacing: .06em; text-transform: uppercase; color: var(--dim); margin: 1.1rem 0 .25rem; }
nav h2 a { color: inherit; }
nav ol { list-style: none; margin: 0; padding: 0; }
nav li a { display: flex; gap: .5rem; align-items: baseline; padding: .17rem .35rem; border-radius: 5px; color: inherit; font-size: .86rem; }
nav li a:hover, nav li a[aria-current] { background: light-dark(#e6ebf0, #262c34); text-decoration: none; }
nav .verb { flex: 0 0 3.1rem; font-size: .68rem; }
nav .none { color: var(--dim); font-size: .86rem; }
.verb { font-weight: 700; letter-spacing: .02em; }
.verb.get { color: var(--get); } .verb.post { color: var(--post); } .verb.put, .verb.patch { color: var(--put); } .verb.delete { color: var(--delete); }
main { padding: 2rem clamp(1rem, 3vw, 3rem) 6rem; max-width: 92rem; width: 100%; }
h1 { font-size: 1.8rem; line-height: 1.2; margin: 0 0 .3rem; } main > header > p { max-width: 46rem; }
main section > h2 { font-size: 1.3rem; margin: 3rem 0 .2rem; text-transform: capitalize; } main section > p { color: var(--dim); margin: 0 0 1rem; }
article { border-top: 1px solid var(--line); padding: 1.5rem 0 .8rem; }
article h3 { margin: 0; font-size: 1.02rem; font-weight: 600; } article h3 a { color: inherit; } article h3 em { font-style: normal; color: var(--put); }
article h3 .verb { margin-right: .4rem; font-size: .82rem; }
.summary { margin: .3rem 0 0; } .access { margin: .1rem 0 .8rem; color: var(--dim); font-size: .86rem; } .access span { font-weight: 600; }
.columns { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 2.2rem; }
.columns > .code { align-self: start; position: sticky; top: 1rem; }
h4 { font-size: .8rem; letter-spacing: .05em; text-transform: uppercase; color: var(--dim); margin: 1.1rem 0 .3rem; }
.columns > div > h4:first-child { margin-top: 0; }
ul.fields, ul.answers, ul.codes { list-style: none; margin: 0; padding: 0; }
ul.fields > li, ul.answers > li { padding: .38rem 0; border-bottom: 1px solid var(--line); } ul.fields > li:last-child, ul.answers > li:last-child { border-bottom: 0; }
ul.fields ul.fields { margin: .3rem 0 .2rem .2rem; padding-left: .8rem; border-left: 2px solid var(--line); }
ul.fields p, ul.answers p { margin: .1rem 0 0; color: var(--dim); font-size: .87rem; overflow-wrap: anywhere; }
.field { font-weight: 600; } .type { color: var(--dim); font-size: .84rem; } .must { color: var(--delete); font-size: .78rem; }
p code, li code:not(.field) { background: var(--code); border-radius: 4px; padding: .06rem .3rem; }
.status { display: inline-block; min-width: 2.6rem; font: 700 .8rem ui-monospace, monospace; } .s2 { color: var(--get); } .s3 { color: var(--dim); } .s4 { color: var(--put); } .s5 { color: var(--delete); }
ul.codes { margin: .15rem 0 .1rem 2.7rem; font-size: .86rem; } .hint { color: var(--dim); }
summary { cursor: pointer; color: var(--accent); font-size: .86rem; width: fit-content; } details.errors { margin-top: .6rem; } details.errors > summary { font-size: .9rem; }
figure { margin: 0 0 .9rem; border: 1px solid var(--line); border-radius: 8px; background: var(--code); overflow: hidden; }
figcaption { display: flex; justify-content: space-between; align-items: center; padding: .25rem .4rem .25rem .8rem; font-size: .76rem; color: var(--dim); border-bottom: 1px solid var(--line); }
pre { margin: 0; padding: .7rem .8rem; overflow: auto; max-height: 24rem; line-height: 1.5; white-space: pre-wrap; overflow-wrap: anywhere; tab-size: 2; }
button.copy { font: inherit; color: inherit; background: none; border: 1px solid transparent; border-radius: 5px; padding: .1rem .5rem; cursor: pointer; } button.copy:hover { border-color: var(--line); }
kbd { font: .78rem ui-monospace, monospace; border: 1px solid var(--line); border-radius: 4px; padding: 0 .3rem; }
[hidden] { display: none !important; }
@media (max-width: 70rem) { .columns { grid-template-columns: minmax(0, 1fr); gap: .6rem; } .columns > .code { position: static; } }
@media (max-width: 48rem) { body { display: block; } main { padding-top: 1.2rem; } .keys { display: none; }
  nav { position: sticky; z-index: 1; height: auto; max-height: 100vh; padding: .6rem 1rem; border-right: 0; border-bottom: 1px solid var(--line); }
  nav .version { display: none; } nav input { margin: .4rem 0 0; font-size: 16px; } nav .list { display: none; max-height: 60vh; overflow-y: auto; } nav:focus-within .list { display: block; }
  html { scroll-padding-top: 6rem; } }
@media print { nav, button { display: none; } body { display: block; } details { display: block; } }
`;
