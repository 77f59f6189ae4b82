/**
 * `{{ env_var('X', 'default') }}` in YAML. Before the file is read, each template is overwritten by as many copies of one private character, so that
 * the YAML is valid wherever the template stands and no position moves; afterwards the scalars that contain such runs get their values.
 * A template in a comment is never evaluated.
 */
import { plainValue } from '../../../foundation/yaml/plain-value.ts';
import type { YamlNode, YamlScalar } from '../../../foundation/yaml/tree.ts';

/** Where template values come from. */
export interface TemplateContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** What `var('name')` answers; undefined where variables cannot be used. */
  readonly variables?: Readonly<Record<string, unknown>>;
}

export interface Template {
  readonly source: string;
  readonly start: number;
  readonly end: number;
}

export interface TemplateProblem {
  readonly kind: 'missing' | 'not-understood';
  readonly name: string;
  readonly start: number;
  readonly end: number;
  /** Keys from the top of the file to the value it stands in. */
  readonly path: readonly string[];
}

const FIRST_MARK = 0xe000;
const MARKS = 6400;

/** The text with every template overwritten, and the templates; the n-th has the n-th private character. */
export function maskTemplates(text: string): {
  readonly text: string;
  readonly templates: readonly Template[];
} {
  if (!text.includes('{{') && !text.includes('{%')) return { text, templates: [] };
  const templates: Template[] = [];
  let masked = '';
  let done = 0;
  const opening = /\{[{%]/g;
  // Where nothing on a line closes a template, nothing closes those behind it on that line either.
  const hopeless = { '}}': 0, '%}': 0 };
  for (let found = opening.exec(text); found !== null; found = opening.exec(text)) {
    const start = found.index;
    const closing = found[0] === '{{' ? '}}' : '%}';
    if (start < hopeless[closing]) continue;
    const end = templateEnd(text, start, closing);
    if (end === undefined) {
      hopeless[closing] = lineEnd(text, start);
      opening.lastIndex = start + 1;
      continue;
    }
    if (templates.length >= MARKS) break;
    templates.push({ source: text.slice(start, end), start, end });
    masked +=
      text.slice(done, start) + String.fromCharCode(FIRST_MARK + templates.length - 1).repeat(end - start);
    done = end;
    opening.lastIndex = end;
  }
  return { text: masked + text.slice(done), templates };
}

const lineEnd = (text: string, from: number): number => {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
};

/** A template ends on its line. */
function templateEnd(text: string, start: number, closing: string): number | undefined {
  const end = text.slice(start + 2, lineEnd(text, start)).indexOf(closing);
  return end < 0 ? undefined : start + 2 + end + closing.length;
}

export function substituteTemplates(
  root: YamlNode,
  templates: readonly Template[],
  context: TemplateContext,
): { readonly root: YamlNode; readonly problems: readonly TemplateProblem[] } {
  const problems: TemplateProblem[] = [];
  const path: string[] = [];
  const fill = (text: string, value: (template: Template) => string): string =>
    text.replace(/([\ue000-\uf8ff])\1*/g, (run) => {
      const template = templates[run.charCodeAt(0) - FIRST_MARK];
      return template === undefined || template.source.length !== run.length ? run : value(template);
    });
  const scalar = (node: YamlScalar): YamlScalar => {
    if (!/[\ue000-\uf8ff]/.test(node.text)) return node;
    let isUnknown = false;
    const text = fill(node.text, (template) => {
      const value = evaluateTemplate(template, context);
      if (typeof value === 'string') return value;
      isUnknown = true;
      problems.push({ ...value, start: template.start, end: template.end, path: [...path] });
      return '';
    });
    const shownAs = fill(node.text, (template) => template.source);
    const value = node.style === 'plain' ? plainValue(text) : text;
    return { ...node, text, value, shownAs, ...(isUnknown ? { isUnknown } : {}) };
  };
  const walk = (node: YamlNode): YamlNode => {
    if (node.kind === 'scalar') return scalar(node);
    if (node.kind === 'list') return { ...node, items: node.items.map(walk) };
    const entries = node.entries.map(({ key, value }) => {
      path.push(key.text);
      const entry = { key: scalar(key), value: walk(value) };
      path.pop();
      return entry;
    });
    return { ...node, entries };
  };
  return { root: walk(root), problems };
}

const STRING = `'([^']*)'|"([^"]*)"`;
const CALL = new RegExp(
  `^\\{\\{-?\\s*(env_var|var|user)\\(\\s*(?:${STRING})?\\s*(?:,\\s*(?:default\\s*=\\s*)?(?:${STRING}|([\\w.+-]+)))?\\s*\\)\\s*-?\\}\\}$`,
);

/** What one template stands for, or why it stands for nothing. */
export function evaluateTemplate(
  template: Template,
  context: TemplateContext,
): string | { readonly kind: TemplateProblem['kind']; readonly name: string } {
  const match = CALL.exec(template.source);
  if (match === null) return { kind: 'not-understood', name: template.source };
  const [, call, single, double, defaultSingle, defaultDouble, defaultWord] = match;
  const name = single ?? double;
  const fallback = defaultSingle ?? defaultDouble ?? defaultWord;
  if (call === 'user') return context.environment['USER'] ?? context.environment['USERNAME'] ?? '';
  if (name === undefined) return { kind: 'not-understood', name: template.source };
  if (call === 'var') {
    if (context.variables === undefined) return { kind: 'not-understood', name: template.source };
    const value = context.variables[name.toLowerCase()] ?? fallback;
    return value === undefined || typeof value === 'object'
      ? { kind: 'not-understood', name: template.source }
      : String(value);
  }
  return context.environment[name] ?? fallback ?? { kind: 'missing', name };
}
