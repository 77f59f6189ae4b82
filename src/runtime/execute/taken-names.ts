/*
 * Names that a plan or run will need and that the warehouse has given to something else, found before anything is built:
 *
 *   view of an environment   free, or a view over tables of ours
 *   physical view or table   free, in the ledger (another run has just filled it), or an empty table: everything else would be lost
 *   schema of a view         no database of that name is attached, which would make every name in it ambiguous
 */
import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { Occupant } from '../../domain/engine.ts';
import { Failure } from '../../domain/failure.ts';
import type { Stage } from '../../domain/plan.ts';
import {
  physicalRelation,
  type Relation,
  relationSql,
  relationText,
  type TableId,
  tableKey,
  type ViewNaming,
  viewRelation,
} from '../../domain/relation.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import type { WorldReader } from '../world.ts';
import type { Contents } from './contents.ts';

interface NameRequest {
  readonly stages: readonly Stage[];
  readonly environment: string;
  readonly naming: (environment: string) => ViewNaming;
  /** Keys of tables that were written before: what stands under their names is ours. */
  readonly known: ReadonlySet<string>;
  readonly contents: Pick<Contents, 'content'>;
}

/** A name that is needed, and for what. */
interface Wanted {
  readonly relation: Relation;
  readonly model: string;
  readonly fingerprint: string;
  /** Of what is physical. */
  readonly table?: TableId;
  /** The environment whose view it is; absent for what is physical. */
  readonly environment?: string;
}

/** Answers with what stands in the way; nothing in the usual case. */
export async function takenNames(
  world: Pick<WorldReader, 'engine'>,
  request: NameRequest,
): Promise<readonly Diagnostic[]> {
  const { engine } = world;
  const wanted = wantedNames(request, engine.capabilities.identifierMax);
  if (wanted.length === 0) return [];
  const found = await engine.occupants(wanted.map(({ relation }) => relation));
  const diagnostics: Diagnostic[] = [];
  for (const one of wanted) {
    const occupant = found.get(relationText(one.relation));
    if (occupant === undefined || (await isOurs(world, one, occupant))) continue;
    const { ranges } = (await request.contents.content(one.fingerprint)).model;
    diagnostics.push({ ...problemOf(one, occupant), ...(ranges['name'] && { at: ranges['name'] }) });
  }
  return diagnostics;
}

/** Throws the first of them, before the first stage. */
export async function refuseTakenNames(
  world: Pick<WorldReader, 'engine'>,
  request: NameRequest,
): Promise<void> {
  const [first] = await takenNames(world, request);
  if (first !== undefined) throw new Failure(first);
}

/** Whether a view under the name of an environment's view shows tables of ours. */
export function isOwnView(model: string, occupant: Occupant, identifierMax?: number): boolean {
  const { schema } = physicalRelation({ model, version: '' }, identifierMax);
  return occupant.object === 'view' && occupant.definition.toLowerCase().includes(schema.toLowerCase());
}

function wantedNames({ stages, environment, naming, known }: NameRequest, identifierMax?: number) {
  return stages.flatMap((stage): readonly Wanted[] => {
    if (stage.kind === 'backfill')
      return stage.members
        .filter(({ table }) => !known.has(tableKey(table)))
        .map(({ table, model, fingerprint }) => ({
          relation: physicalRelation(table, identifierMax),
          table,
          model,
          fingerprint,
        }));
    if (stage.kind !== 'promote') return [];
    return stage.views.map(({ entry, environment: name = environment }) => ({
      relation: viewRelation(entry.model, naming(name)),
      model: entry.model,
      fingerprint: entry.fingerprint,
      environment: name,
    }));
  });
}

async function isOurs(
  { engine }: Pick<WorldReader, 'engine'>,
  { relation, model, table, environment }: Wanted,
  occupant: Occupant,
): Promise<boolean> {
  if (environment !== undefined) return isOwnView(model, occupant, engine.capabilities.identifierMax);
  if (occupant.object === 'catalog') return false;
  // The warehouse knows of it with its rows, the state a moment later.
  if (table !== undefined && (await engine.dataVersions([table]))[0] !== '') return true;
  // A table that was only made is not in the ledger; there is nothing in it to be lost.
  if (occupant.object !== 'table') return false;
  const { rows } = await engine.query(`SELECT 1 FROM ${relationSql(relation, engine.dialect)} LIMIT 1`);
  return rows.length === 0;
}

function problemOf({ relation, model, environment }: Wanted, occupant: Occupant): Diagnostic {
  const name = relationText(relation);
  if (occupant.object === 'catalog')
    return diagnostic('plan.schema-hidden', { catalog: occupant.name, model, name });
  const belongs =
    environment === undefined ? `the rows of ${model}` : `the view of ${model} in environment ${environment}`;
  return diagnostic('plan.name-taken', { object: occupant.object, name, belongs });
}
