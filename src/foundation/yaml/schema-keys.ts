import type { KeyField, Schema } from './schema.ts';

/** One key of a kind of file, by its path from the top: `gateways.*.state_connection.sqlite.database`. */
export interface SchemaKey {
  readonly path: string;
  readonly field: KeyField;
  /** Of the key itself, or of the nearest one around it. */
  readonly withoutEffect?: string;
  readonly notYet?: string;
  /** Why what is inside is not checked when the file is read. */
  readonly open?: string;
  /** Something around it is marked and says so itself. */
  readonly isMarkedAround?: true;
}

/** Every key that a schema declares, in its order. What is published under a name of its own is listed once, below that name, and has a mark only if every use of it has. */
export function keysOf(schema: Schema<unknown>): readonly SchemaKey[] {
  const keys = new Map<string, SchemaKey>();
  const seen = new Set<string>();
  const visit = (each: Schema<unknown>, path: string, outer: Marks): void => {
    const parts = each.parts?.();
    if (parts === undefined || parts.kind === 'open') return;
    if (parts.kind === 'named') {
      const use = `${parts.name} ${isMarked(outer)}`;
      if (seen.has(use)) return;
      seen.add(use);
      visit(parts.schema, parts.name, outer);
    } else if (parts.kind === 'inside')
      for (const { step, schema: inner } of parts.schemas) visit(inner, joined(path, step), outer);
    else {
      const here = parts.notYet === undefined ? outer : { ...outer, notYet: parts.notYet };
      for (const [name, field] of Object.entries(parts.fields)) {
        const marks = marksOf(field, here);
        const at = joined(path, name);
        const open = openIn(field.schema);
        const known = keys.get(at);
        if (known === undefined || isMarked(known))
          keys.set(at, {
            path: at,
            field,
            ...marks,
            ...(open === undefined ? {} : { open }),
            ...(isMarked(here) ? { isMarkedAround: true } : {}),
          });
        visit(field.schema, at, marks);
      }
    }
  };
  visit(schema, '', {});
  return [...keys.values()];
}

const isMarked = ({ withoutEffect, notYet }: Marks): boolean =>
  withoutEffect !== undefined || notYet !== undefined;

type Marks = Pick<SchemaKey, 'withoutEffect' | 'notYet'>;

function marksOf({ withoutEffect, notYet }: KeyField, outer: Marks): Marks {
  return {
    ...outer,
    ...(withoutEffect === undefined ? {} : { withoutEffect }),
    ...(notYet === undefined ? {} : { notYet }),
  };
}

function joined(path: string, step: string): string {
  if (step === '') return path;
  return path === '' ? step : `${path}.${step}`;
}

/** Open data that stands at the key itself, or in the list, map or alternative there. */
function openIn(schema: Schema<unknown>): string | undefined {
  const parts = schema.parts?.();
  if (parts?.kind === 'open') return parts.why;
  if (parts?.kind !== 'inside') return undefined;
  return parts.schemas.map(({ schema: inner }) => openIn(inner)).find((why) => why !== undefined);
}
