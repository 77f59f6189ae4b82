/** What a file of the project is for, by where it lies. */
export type FilePurpose =
  | 'config'
  | 'model'
  | 'python-model'
  /** A semantic model, a metric or a dq pack: its `kind` says which. */
  | 'definition'
  | 'audit'
  | 'test'
  | 'external'
  | 'usage'
  | 'readme'
  | 'jinja-macro'
  | 'python-macro'
  | 'seed'
  | 'other';

const YAML = /\.ya?ml$/;

/** Folder and ending decide; an unknown file is left alone. */
export function purposeOf(path: string): FilePurpose {
  const [top = '', ...rest] = path.split('/');
  if (rest.length === 0) {
    if (/^config\.(?:ya?ml|py)$/.test(path)) return 'config';
    if (/^(?:external_models|schema)\.ya?ml$/.test(path)) return 'external';
    if (/^usage\.ya?ml$/.test(path)) return 'usage';
    return path === 'README.md' ? 'readme' : 'other';
  }
  switch (top) {
    case 'models':
      if (path.endsWith('.sql')) return 'model';
      if (path.endsWith('.py')) return 'python-model';
      return YAML.test(path) ? 'definition' : 'other';
    case 'audits':
      return path.endsWith('.sql') ? 'audit' : 'other';
    case 'dq':
      return YAML.test(path) ? 'definition' : 'other';
    case 'tests':
      return YAML.test(path) ? 'test' : 'other';
    case 'external_models':
      return YAML.test(path) ? 'external' : 'other';
    case 'macros':
      return path.endsWith('.sql') ? 'jinja-macro' : path.endsWith('.py') ? 'python-macro' : 'other';
    case 'seeds':
      return 'seed';
    default:
      return 'other';
  }
}

/** Names of macros that a Python file defines: every function under a decorator that mentions `macro`. */
export function pythonMacroNames(text: string): readonly string[] {
  const found = [...text.matchAll(/^@macro\b[^\n]*\n(?:@[^\n]*\n)*\s*def\s+(\w+)/gm)].map((match) =>
    (match[1] as string).toLowerCase(),
  );
  const renamed = [...text.matchAll(/^@macro\(\s*["'](\w+)["']/gm)].map((match) =>
    (match[1] as string).toLowerCase(),
  );
  return [...found, ...renamed];
}
