import type { Asked, AskedSide } from '../../compiler/semantic/perspectives/asked-side.ts';
import { type AskedSides, reachedQuestion } from '../../compiler/semantic/perspectives/reached-question.ts';
import type { ReachByModel, ReachedConsumer } from '../../domain/impact.ts';
import type { Statement } from '../../domain/statement.ts';
import type { WorldReader } from '../../runtime/world.ts';

/** How far back it is looked: so long, so many statements, so many bytes of text, so many questions that are compiled. */
const DAYS = 30;
const STATEMENTS_MAX = 2_000;
const BYTES_MAX = 16 * 1_048_576;
const COMPILED_MAX = 200;
const AT_ONCE = 100;
const DAY_MS = 86_400_000;

/** Callers whose statements of late read what a change reaches, those who asked most first. */
export async function consumersOf(
  { state, clock }: Pick<WorldReader, 'state' | 'clock'>,
  {
    reach,
    sides,
    environment,
  }: { readonly reach: ReachByModel; readonly sides: AskedSides; readonly environment: string },
): Promise<readonly ReachedConsumer[]> {
  const since = clock.now() - DAYS * DAY_MS;
  const reachedBy = throughModels(reach, sides);
  const found = new Map<
    string,
    { tenant: string; statements: number; lastAt: number; through: Set<string> }
  >();
  for await (const statement of lately(state.statements, { environment, since })) {
    const through = reachedBy(statement);
    if (through.length === 0) continue;
    const { principalId, tenant, submittedAt } = statement;
    const known = found.get(principalId) ?? { tenant, statements: 0, lastAt: 0, through: new Set() };
    found.set(principalId, known);
    known.statements += 1;
    known.lastAt = Math.max(known.lastAt, submittedAt);
    for (const name of through) known.through.add(name);
  }
  const names = await namesOf(state, new Set([...found.values()].map(({ tenant }) => tenant)));
  return [...found]
    .map(([principalId, { statements, lastAt, through }]) => ({
      principalId,
      name: names.get(principalId) ?? principalId,
      statements,
      lastAt,
      through: [...through],
    }))
    .sort((a, b) => b.statements - a.statements || (a.name < b.name ? -1 : 1));
}

async function* lately(
  reader: WorldReader['state']['statements'],
  { environment, since }: { readonly environment: string; readonly since: number },
): AsyncGenerator<Statement> {
  let bytes = 0;
  let before: string | undefined;
  for (let count = 0; count < STATEMENTS_MAX && bytes < BYTES_MAX; ) {
    const page = await reader.statements({
      environment,
      since,
      limit: AT_ONCE,
      ...(before === undefined ? {} : { before }),
    });
    for (const statement of page) {
      count += 1;
      bytes += statement.sql.length;
      if (statement.status === 'SUCCESS') yield statement;
    }
    if (page.length < AT_ONCE) return;
    before = page.at(-1)?.id;
  }
}

/** The models through which a statement is reached; each question is compiled once, and those past the limit by the models that they read. */
function throughModels(reach: ReachByModel, sides: AskedSides): (statement: Statement) => readonly string[] {
  const models = new Map([...reach.keys()].map((name) => [name.toLowerCase(), name]));
  const known = new Map<string, boolean>();
  return (statement) => {
    const hit = statement.dependsOn.flatMap((name) => models.get(name.toLowerCase()) ?? []);
    if (hit.length === 0 && sides.before === undefined) return [];
    const through = hit.length === 0 ? statement.dependsOn : hit;
    const asked = questionOf(statement);
    const key = JSON.stringify(asked.query);
    if (!known.has(key) && known.size < COMPILED_MAX) known.set(key, isHit(asked, sides, reach));
    return (known.get(key) ?? hit.length > 0) ? through : [];
  };
}

/** A question that cannot be compiled here is hit: the models that it read are reached. */
function isHit(asked: Asked, sides: AskedSides, reach: ReachByModel): boolean {
  return reachedQuestion(sides, (_side: AskedSide) => [asked], reach) !== undefined;
}

function questionOf({ asked, sql }: Statement): Asked {
  return asked?.kind === 'semantic'
    ? { query: { kind: 'semantic', query: asked.query }, params: [] }
    : { query: { kind: 'sql', sql }, params: [] };
}

async function namesOf(
  { principals }: Pick<WorldReader['state'], 'principals'>,
  tenants: ReadonlySet<string>,
): Promise<ReadonlyMap<string, string>> {
  const known = await Promise.all([...tenants].map((tenant) => principals.principals({ tenant })));
  return new Map(known.flat().map(({ id, name }) => [id, name]));
}
