import type { ImportedModel } from './imported-model.ts';

/** The model that a table's name means, or why none is meant for certain; then the name stays as it is. */
export type MatchedTable =
  | { readonly kind: 'model'; readonly name: string }
  | { readonly kind: 'unknown'; readonly name: string; readonly why: string };

/** Compares without case and quotes: what the caller calls a model, the whole name, or its last parts where only one model ends with them. */
export function matchTable(
  table: string,
  models: Iterable<Pick<ImportedModel, 'name' | 'alsoCalled'>>,
): MatchedTable {
  const wanted = plainParts(table);
  const called = [...models].find(({ alsoCalled = [] }) =>
    alsoCalled.some((each) => isSame(plainParts(each), wanted)),
  );
  if (called !== undefined) return { kind: 'model', name: called.name };
  const names = [...models].map(({ name }) => name);
  const whole = names.filter((name) => isSame(plainParts(name), wanted));
  if (whole.length === 1) return { kind: 'model', name: whole[0] as string };
  const alike = names.filter((name) => endsAlike(plainParts(name), wanted));
  if (alike.length === 1) return { kind: 'model', name: alike[0] as string };
  const why =
    alike.length === 0
      ? 'no model of this project has this name'
      : `several models could be meant: ${alike.join(', ')}; say which with --table ${wanted.join('.')}=${alike[0]}`;
  return { kind: 'unknown', name: wanted.map(spelled).join('.'), why };
}

function plainParts(name: string): readonly string[] {
  return [...name.matchAll(/"((?:[^"]|"")*)"|`([^`]*)`|\[([^\]]*)\]|([^."`[\]]+)/g)].map(
    ([, double, back, square, plain]) =>
      double?.replaceAll('""', '"') ?? back ?? square ?? plain?.trim() ?? '',
  );
}

const spelled = (part: string): string =>
  /^[A-Za-z_][A-Za-z0-9_$]*$/.test(part) ? part : `"${part.replaceAll('"', '')}"`;

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((part, at) => part.toLowerCase() === b[at]?.toLowerCase());
}

/** The shorter name is the end of the longer one. */
function endsAlike(a: readonly string[], b: readonly string[]): boolean {
  const length = Math.min(a.length, b.length);
  return length > 0 && isSame(a.slice(-length), b.slice(-length));
}
