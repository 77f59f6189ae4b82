import { checkModels } from '../../compiler/semantic/check-models.ts';
import { relationsOf } from '../../compiler/semantic/compile-semantic.ts';
import { type DataClaim, dataChecks } from '../../compiler/semantic/data-checks.ts';
import { indexOf } from '../../compiler/semantic/semantic-index.ts';
import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { Project } from '../../domain/project.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import { unreachable } from '../../foundation/unreachable.ts';
import { appliedEnvironment, type OpenedWorldReader } from '../open-world.ts';

/** What came of one claim. */
export interface CheckedClaim {
  readonly claim: DataClaim;
  /** Rows against it; undefined when it was not looked at. */
  readonly rows?: number;
  readonly ms?: number;
  readonly why?: string;
}

/** Looks whether the rows of an environment are what the semantic models take for granted; each model's keys and times are one query. */
export async function validateData(
  world: OpenedWorldReader,
  project: Project,
  request: { readonly environment: string; readonly signal?: AbortSignal },
): Promise<readonly CheckedClaim[]> {
  const environment = await appliedEnvironment(world, request.environment);
  const { checks, left } = dataChecks(indexOf(project), {
    dialect: world.engine.dialect,
    relationOf: relationsOf(project, world.naming(environment.name)),
  });
  checkModels(project, environment, [...new Set(checks.flatMap(({ reads }) => reads))]);
  const options = request.signal === undefined ? {} : { signal: request.signal };
  const results: CheckedClaim[] = [];
  for (const { claims, sql } of checks) {
    const began = performance.now();
    const { rows } = await world.engine.query(sql, options);
    const ms = performance.now() - began;
    for (const [index, claim] of claims.entries())
      results.push({ claim, rows: Number(rows[0]?.[index] ?? 0), ms });
  }
  return [...results, ...left];
}

/** A claim that does not hold, where it is made. */
export function claimDiagnostic({ claim, rows = 0 }: CheckedClaim): Diagnostic | undefined {
  if (rows === 0) return undefined;
  const { model, at } = claim;
  const counted = `${rows} ${rows === 1 ? 'row' : 'rows'}`;
  switch (claim.kind) {
    case 'key-not-null':
      return diagnostic('validate.key-null', { rows: counted, model, column: claim.column }, { at });
    case 'key-unique':
      return diagnostic(
        'validate.key-not-unique',
        { rows: counted, model, columns: claim.columns.join(', ') },
        { at },
      );
    case 'to-one':
      return diagnostic(
        'validate.not-to-one',
        { rows: counted, model, to: claim.to, join: claim.join },
        { at },
      );
    case 'time-not-null':
      return diagnostic(
        'validate.time-null',
        { rows: counted, model, dimension: claim.dimension, user: claim.usedBy },
        { at },
      );
    default:
      return unreachable(claim);
  }
}
