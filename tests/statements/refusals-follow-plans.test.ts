/** What is refused is refused by what an environment is now: a server hears of plans of other processes only when it looks. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Failure } from '../../src/domain/failure.ts';
import type { Question } from '../../src/operations/ask/submission.ts';
import { submitStatement } from '../../src/operations/ask/submit-statement.ts';
import type { Product } from '../../src/operations/platform.ts';
import { GUARDED_CONFIG, GUARDED_FILES, PEOPLE_YML } from '../support/guarded-project.ts';
import {
  ADMIN,
  identityOf,
  planProduct,
  type ServedProduct,
  servedProduct,
} from '../support/served-product.ts';

let served: ServedProduct;
let elsewhere: Product;
beforeAll(async () => {
  served = await servedProduct({ 'config.yaml': GUARDED_CONFIG, ...GUARDED_FILES });
  elsewhere = await served.again();
});
afterAll(() => served.close());

const ANN = identityOf({ groups: ['eu'], productRoles: { 'default-guarded': 'consumer' } });

/** How a question ends, in one word. */
async function asked(question: Question, asker = ADMIN): Promise<string> {
  try {
    const answer = await submitStatement(served.product, asker, { question, waitMs: 30_000 });
    return answer.ok ? answer.statement.status : (answer.diagnostics[0]?.code ?? '');
  } catch (error) {
    if (error instanceof Failure) return error.code;
    throw error;
  }
}
async function plannedElsewhere(files: Readonly<Record<string, string>>): Promise<void> {
  served.project.write(files);
  await planProduct(elsewhere);
}

test('a model, a member and a policy that another process has planned count at once, also where nothing else is asked', async () => {
  const table: Question = { kind: 'sql', sql: 'SELECT day FROM far.later' };
  const member: Question = { kind: 'semantic-query', query: { measures: ['people.later'] } };
  const closed: Question = { kind: 'sql', sql: 'SELECT * FROM raw.people' };
  expect(await asked(table)).toBe('query.unknown-model');
  expect(await asked(member)).toBe('semantic.unknown-member');
  expect(await asked(closed, ANN)).toBe('policy.model-restricted');

  await plannedElsewhere({ 'models/later.sql': 'MODEL (name far.later, kind FULL);\nSELECT 2 AS day\n' });
  expect(await asked(table)).toBe('SUCCESS');

  const later = '  - {name: later, type: sum, expression: "{spend}"}\n';
  await plannedElsewhere({
    'models/semantics/people.yml': `${PEOPLE_YML}${later}policies: [{group: admin}]\n`,
  });
  expect(await asked(member)).toBe('SUCCESS');

  await plannedElsewhere({ 'models/semantics/people.yml': `${PEOPLE_YML}${later}` });
  expect(await asked(closed, ANN)).toBe('SUCCESS');
});
