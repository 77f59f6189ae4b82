/** What the page does by itself: search, keys, copying. Without it everything can still be read. */
export const PAGE_SCRIPT = `
'use strict';
const search = document.getElementById('search');
const articles = [...document.querySelectorAll('article')];
const none = document.getElementById('none');
const linkOf = new Map([...document.querySelectorAll('nav li a')].map((a) => [a.hash.slice(1), a]));

function filter() {
  const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean);
  let count = 0;
  for (const article of articles) {
    const isFound = words.every((word) => article.dataset.words.includes(word));
    article.hidden = !isFound;
    linkOf.get(article.id).parentElement.hidden = !isFound;
    if (isFound) count++;
  }
  for (const group of document.querySelectorAll('[data-group]'))
    group.hidden = !group.querySelector('article:not([hidden]), li:not([hidden])');
  none.hidden = count > 0;
}

const shown = () => articles.filter((article) => !article.hidden);
function go(article) {
  if (!article) return;
  location.hash = article.id;
  article.querySelector('h3 a').focus({ preventScroll: true });
}
function step(by) {
  const list = shown();
  const now = list.findIndex((article) => article.getBoundingClientRect().bottom > 40);
  const isAt = now >= 0 && Math.abs(list[now].getBoundingClientRect().top) < 60;
  go(list[Math.max(0, Math.min(list.length - 1, by > 0 ? (isAt ? now + 1 : now) : now - 1))]);
}

search.addEventListener('input', filter);
document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target === search) {
    if (event.key === 'Enter') go(shown()[0]);
    else if (event.key === 'Escape') { search.value = ''; filter(); search.blur(); }
    return;
  }
  if (event.key === '/') { event.preventDefault(); search.focus(); search.select(); }
  else if (event.key === 'j') step(1);
  else if (event.key === 'k') step(-1);
});
document.addEventListener('click', async (event) => {
  const button = event.target.closest('button.copy');
  if (!button) return;
  await navigator.clipboard.writeText(button.closest('figure').querySelector('pre').textContent);
  button.textContent = 'copied';
  setTimeout(() => { button.textContent = 'copy'; }, 1500);
});

let current;
const watch = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    current?.removeAttribute('aria-current');
    current = linkOf.get(target.id);
    current?.setAttribute('aria-current', 'true');
    const nav = document.querySelector('nav');
    if (nav.scrollHeight > nav.clientHeight && !nav.matches(':hover')) current?.scrollIntoView({ block: 'nearest' });
  }
}, { rootMargin: '-10% 0px -80% 0px' });
for (const article of articles) watch.observe(article);
`;
