/** The tests that show what parameters and fields of the perspectives group do. */
const FILE = 'tests/perspectives/perspectives.test.ts';

interface Shown {
  readonly file: string;
  readonly test: string;
}

const of = (operation: string, test: string, fields: string): readonly (readonly [string, Shown])[] =>
  fields.split(' ').map((field) => [`${operation} ${field}`, { file: FILE, test }] as const);

const MADE = 'is made in one step, has a slug of its name, and is the address of an answer';
const WRITTEN = 'fields that are written are read again, and PUT replaces all of them';

export const PERSPECTIVE_EVIDENCE: Readonly<Record<string, Shown>> = Object.fromEntries([
  ...of(
    'listPerspectives',
    'a list is filtered, in pages, and has no questions',
    'limit cursor owner visibility tag q',
  ),
  ...of(
    'listPerspectiveVersions',
    'is by its owner, of the version they saw, and each version stays',
    'limit cursor',
  ),
  ...of('getPerspectiveResult', 'take the place of values, in every form of question', 'params'),
  ...of('getPerspectiveResult', 'results come in every format', 'format limit'),
  ...of(
    'getPerspectiveResult',
    'a result is asked as its address says',
    'offset columns wait cache environment',
  ),
  ...of('createPerspective', MADE, 'name query visibility tags'),
  ...of('createPerspective', WRITTEN, 'slug description params principals auto_refresh'),
  ...of(
    'createPerspective',
    'is made of a statement: of a semantic query, and of SQL with values',
    'statement_id',
  ),
  ...of('putPerspective', WRITTEN, 'name description query params visibility principals tags auto_refresh'),
  ...of(
    'changePerspective',
    WRITTEN,
    'slug name description query params visibility principals tags auto_refresh',
  ),
  ...of('changePerspective', 'of its owner gives it away: the former owner has what others have', 'owner'),
]);
