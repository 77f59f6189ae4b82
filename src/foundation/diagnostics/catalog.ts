import type { Diagnostic, Severity, SourceRange } from './diagnostic.ts';

/** One kind of thing that can be wrong. `{name}` in message and hint are parameters; `explain` is the long text of `plinth explain CODE`. */
export interface CatalogEntry {
  readonly severity: Severity;
  readonly message: string;
  readonly hint?: string;
  readonly explain: string;
}

/** Entries by code `area.what-is-wrong`. */
export type Catalog = Readonly<Record<string, CatalogEntry>>;

type NamesIn<Text> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;
type ParametersOf<Entry extends CatalogEntry> = {
  readonly [Name in NamesIn<Entry['message']> | NamesIn<Entry['hint']>]: string | number;
};

/** Where a diagnostic points and, when the catalog's hint does not fit, a better one ("did you mean"). */
export interface DiagnosticOptions {
  readonly at?: SourceRange | undefined;
  readonly hint?: string | undefined;
  readonly severity?: Severity | undefined;
}

/** Makes diagnostics of one catalog; a wrong code or a missing parameter is a type error. */
export type DiagnosticMaker<Entries extends Catalog> = <Code extends keyof Entries & string>(
  code: Code,
  parameters: ParametersOf<Entries[Code]>,
  options?: DiagnosticOptions,
) => Diagnostic;

export function diagnosticMaker<const Entries extends Catalog>(catalog: Entries): DiagnosticMaker<Entries> {
  return (code, parameters, options = {}) => {
    const entry = catalog[code] as CatalogEntry;
    const hint = options.hint ?? (entry.hint === undefined ? undefined : fill(entry.hint, parameters));
    return {
      code,
      severity: options.severity ?? entry.severity,
      message: fill(entry.message, parameters),
      ...(hint === undefined ? {} : { hint }),
      ...(options.at === undefined ? {} : { at: options.at }),
    };
  };
}

function fill(template: string, parameters: Readonly<Record<string, string | number>>): string {
  return template.replace(/\{([^{}]+)\}/g, (whole, name: string) => {
    const value = parameters[name];
    return value === undefined ? whole : shorten(String(value));
  });
}

/** A hostile value must not flood the terminal. */
function shorten(value: string): string {
  return value.length > 300 ? `${value.slice(0, 297)}…` : value;
}
