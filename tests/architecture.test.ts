/**
 * The house rules as a test. Each rule is a function from files to complaints; each is also run on a planted violation, because a check that cannot
 * fail is worse than none. `src` is read as text: imports, purity and length need no type checker.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  type Counts,
  ENGINE_NAMES,
  LONG_FUNCTIONS,
  LONG_VERBS,
  OTHER_NAMES,
  SHARED_TYPE_NAMES,
  TOPIC_FILES,
} from './falling-counts.ts';
import { longFunctions } from './support/long-functions.ts';

/** A floor may import itself and the floors it lists. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  foundation: [],
  domain: ['foundation'],
  compiler: ['domain', 'foundation'],
  runtime: ['compiler', 'domain', 'foundation'],
  adapters: ['domain', 'foundation'],
  operations: ['runtime', 'compiler', 'adapters', 'domain', 'foundation'],
  server: ['operations', 'domain', 'foundation'],
  cli: ['operations', 'domain', 'foundation'],
  /** Runs elsewhere: it knows the server by its contract only. */
  client: [],
};

/** Inside the compiler a room sees only the rooms it lists: the four at the top do not know one another, and `impact` stands on two of them. */
const COMPILER_ROOMS: Readonly<Record<string, readonly string[]>> = {
  macros: [],
  catalog: [],
  load: ['macros'],
  resolve: ['load', 'macros'],
  render: ['resolve', 'load', 'macros'],
  lint: ['render', 'resolve', 'load', 'macros'],
  plan: ['render', 'resolve', 'load', 'macros'],
  semantic: ['render', 'resolve', 'load', 'macros'],
  quality: ['render', 'resolve', 'load', 'macros'],
  notify: ['catalog'],
  impact: ['catalog', 'semantic'],
};

/** Rooms of operations: what each may import. Files at the root are for all rooms, and import none. */
const OPERATION_ROOMS: Readonly<Record<string, readonly string[]>> = {
  project: [],
  access: [],
  ask: ['access'],
  change: ['project', 'access'],
  quality: ['change', 'ask', 'access', 'catalog'],
  perspectives: ['ask', 'access'],
  catalog: ['change', 'ask', 'access'],
  notify: ['catalog', 'perspectives', 'access'],
  serve: ['change', 'ask', 'project', 'quality', 'perspectives', 'notify'],
};

/** Rooms of the HTTP door: a request arrives, takes a route and leaves as an answer. Files beside the rooms are for all of them. */
const HTTP_ROOMS: Readonly<Record<string, readonly string[]>> = {
  schemas: [],
  answers: ['schemas'],
  openapi: ['answers', 'schemas'],
  arrival: ['answers'],
  reference: ['openapi'],
  routes: ['arrival', 'answers', 'schemas'],
};

/** What every room needs; anything else has a room. */
const OPERATIONS_ROOT: readonly string[] = [
  'operations/workspace.ts',
  'operations/open-world.ts',
  'operations/paths-to-hide.ts',
  'operations/platform.ts',
  'operations/product-reader.ts',
  'operations/own-platform.ts',
  'operations/applied-packs.ts',
  'operations/applied-semantics.ts',
  'operations/new-id.ts',
  'operations/product-caches.ts',
  'operations/ongoing-work.ts',
];

/** Verbs that only read, and rooms of them: what they take has reading halves of the ports, so they cannot change warehouse or state. */
const READING_VERBS: readonly string[] = [
  'operations/access/callers.ts',
  'operations/access/may-find.ts',
  'operations/access/wider-access.ts',
  'operations/catalog/',
  'operations/change/compare-environments.ts',
  'operations/change/compare-models.ts',
  'operations/change/compare-tables.ts',
  'operations/change/compared-sides.ts',
  'operations/change/environment-status.ts',
  'operations/change/environments.ts',
  'operations/change/explain-queries.ts',
  'operations/change/kept-columns.ts',
  'operations/change/lost-warnings.ts',
  'operations/change/missing-externals.ts',
  'operations/change/names-taken.ts',
  'operations/change/plans.ts',
  'operations/change/run-sources.ts',
  'operations/change/run-input.ts',
  'operations/change/runs.ts',
  'operations/change/selected-models.ts',
  'operations/change/table-columns.ts',
  'operations/change/table-diff.ts',
  'operations/change/table-name.ts',
  'operations/change/tables-there.ts',
  'operations/change/unshown-tables.ts',
  'operations/project/evaluate.ts',
  'operations/project/describe-model.ts',
  'operations/project/render.ts',
  'operations/project/validate-data.ts',
  'operations/quality/backtest-checks.ts',
  'operations/quality/check-reader.ts',
  'operations/quality/found-check.ts',
  'operations/quality/gate.ts',
  'operations/quality/gate-reasons.ts',
  'operations/quality/known-incidents.ts',
  'operations/quality/known-results.ts',
  'operations/quality/known-rules.ts',
  'operations/quality/quality-summary.ts',
  'operations/quality/quality-view.ts',
  'operations/quality/result-sample.ts',
  'operations/quality/wanted-checks.ts',
  'operations/serve/product-state.ts',
  'operations/serve/readiness.ts',
];

/** A library with a wide surface has one home, so that it can be replaced there. */
const HOME: Readonly<Record<string, readonly string[]>> = {
  '@polyglot-sql/sdk': ['foundation/sql/library/'],
  '@duckdb/node-api': ['adapters/engines/duckdb/'],
  'node:sqlite': ['adapters/state/sqlite/'],
  pg: ['adapters/state/postgres/'],
  yaml: ['foundation/yaml/'],
  croner: ['foundation/time/'],
  'minijinja-js': ['foundation/jinja/'],
  fastify: ['server/http/'],
  graphql: ['server/graphql/'],
  jose: ['operations/access/'],
  nodemailer: ['adapters/channels/email/'],
};

const IMPURE =
  /\bDate\.now\b|\bnew Date\(\)|\bperformance\.now\b|\bMath\.random\b|\bprocess\.(?:env|cwd|stdout|stderr)\b|\bconsole\.|from 'node:(?:fs|net|http|child_process|os|worker_threads)/;
const PRINTS = /\bconsole\.(?:log|error|warn|info)\b|\bprocess\.std(?:out|err)\.write\b/;
const BAD_NAME = /(?:^|\/)(?:utils?|common|shared|helpers?|definition|misc)(?:\/|\.ts$)/;
/** What earlier engineers called a status, a report, a verdict, ongoing work and an executor. */
const PRIVATE_NAME =
  /\b\w*[a-z](?:Standing|Told|Judged?|Underway|UnderWay|Desk)\b|\b(?:standing|told|judged?|under[wW]ay|desk)(?:[A-Z]\w*)?\b/g;
const LINES_MAX = 400;
const VERB_LINES_MAX = 80;
const FUNCTION_LINES_MAX = 70;
/** All files of a database server that can hold the state. */
const STATE_ADAPTER_LINES_MAX = 600;
const IO =
  /from 'node:(?:fs|child_process|net|tls|dgram|dns|https?|http2|os)(?:\/promises)?'|(?<![#.\w])fetch\(/g;
const ENGINE_NAME =
  /'(?:duckdb|postgres|postgresql|mysql|mssql|tsql|snowflake|bigquery|trino|presto|athena|spark|databricks|redshift|clickhouse|motherduck)'/g;
/** What can write, or opens what can. Of a workspace a verb may name the parts that it reads. */
const WRITING_HALF =
  /\b(?:World|OpenedWorld|Product|Platform|Engine|WriteSession|(?:State|Snapshot|Journal|Statement|Principal|Access|Answer)Store|openWorld|openWorkspace)\b|(?<!Pick<)\bWorkspace\b/;
const MODULE_STATE =
  /^(?:export )?(?:let \w|const \w+ = new Weak(?:Map|Set)\b|const \w+(?:: (?!Readonly)[^=]+)? = new (?:Map|Set)(?:<[^;]*>)?\(\))/gm;

/** Known exceptions, each with its reason; the list may only shrink. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'foundation/sql/tree.ts':
    'one closed set of node types that refer to each other; cutting it would only add imports',
};

/** A complaint begins with the name of its file. */
const isException = (complaint: string): boolean =>
  Object.keys(EXCEPTIONS).some((file) => complaint.startsWith(`${file} `));

interface File {
  readonly name: string;
  readonly text: string;
}
interface Import {
  readonly from: string;
  readonly to: string;
  readonly isType: boolean;
}

const IMPORT = /^\s*(?:import|export)\s+(type\s)?(?:[^'";]*?\sfrom\s+)?'([^']+)'|\bimport\(\s*'([^']+)'/gm;

function importsOf({ name, text }: File): readonly Import[] {
  return [...text.matchAll(IMPORT)].map(([, type, fixed, lazy]) => {
    const to = fixed ?? lazy ?? '';
    return {
      from: name,
      to: to.startsWith('.') ? normalize(join(dirname(name), to)) : to,
      isType: type !== undefined,
    };
  });
}

const floorOf = (name: string): string => name.split('/')[0] ?? '';
const packageOf = (to: string): string =>
  to.startsWith('@')
    ? to.split('/').slice(0, 2).join('/')
    : to.startsWith('node:')
      ? to
      : (to.split('/')[0] ?? to);
const complaint = ({ from, to }: Import): string => `${from} must not import ${to}`;

const rules: Readonly<Record<string, (files: readonly File[]) => readonly string[]>> = {
  'imports go down the floor plan': (files) =>
    files
      .flatMap(importsOf)
      .filter(
        ({ from, to }) =>
          floorOf(to) in MAY_IMPORT && floorOf(from) in MAY_IMPORT && floorOf(from) !== floorOf(to),
      )
      .filter(({ from, to }) => !MAY_IMPORT[floorOf(from)]?.includes(floorOf(to)))
      .map(complaint),

  'rooms of the compiler see only lower rooms': (files) =>
    files
      .flatMap(importsOf)
      .filter(({ from, to }) => floorOf(from) === 'compiler' && floorOf(to) === 'compiler')
      .filter(({ from, to }) => {
        const [room = '', other = ''] = [from.split('/')[1], to.split('/')[1]];
        return room !== other && !COMPILER_ROOMS[room]?.includes(other);
      })
      .map(complaint),

  'rooms of operations see only the rooms they list': (files) =>
    files
      .flatMap(importsOf)
      .filter(({ from, to }) => floorOf(from) === 'operations' && floorOf(to) === 'operations')
      .filter(({ from, to }) => {
        const [room, other] = [operationRoomOf(from), operationRoomOf(to)];
        return other !== '' && room !== other && !OPERATION_ROOMS[room]?.includes(other);
      })
      .map(complaint),

  'what a person does has a room': (files) =>
    files
      .filter(({ name }) => floorOf(name) === 'operations')
      .filter(({ name }) => {
        const room = operationRoomOf(name);
        return room === '' ? !OPERATIONS_ROOT.includes(name) : !(room in OPERATION_ROOMS);
      })
      .map(({ name }) => `${name} is in no room of operations`),

  /** What all of a kind have in common is in a room beside them: `sql` of databases, `connection` of channels. */
  'adapters do not know one another': (files) =>
    files
      .flatMap(importsOf)
      .filter(({ from, to }) => floorOf(from) === 'adapters' && floorOf(to) === 'adapters')
      .filter(({ from, to }) => ![adapterOf(from), ...roomsOfAll(from)].includes(adapterOf(to)))
      .filter(({ from, to }) => !OPENS_ANY.test(from) || from.split('/')[1] !== to.split('/')[1])
      .map(complaint),

  'doors of the server are separate rooms, and the two doors do not meet': (files) =>
    files
      .flatMap(importsOf)
      .filter(
        ({ from, to }) =>
          floorOf(from) === 'server' &&
          floorOf(to) === 'server' &&
          from !== 'server/start-server.ts' &&
          from.split('/')[1] !== to.split('/')[1],
      )
      .map(complaint),

  'rooms of the HTTP door see only the rooms they list': (files) =>
    files
      .flatMap(importsOf)
      .filter(({ from, to }) => httpRoomOf(from) !== '' && httpRoomOf(to) !== '')
      .filter(
        ({ from, to }) =>
          httpRoomOf(from) !== httpRoomOf(to) && !HTTP_ROOMS[httpRoomOf(from)]?.includes(httpRoomOf(to)),
      )
      .map(complaint),

  'a library stays in its home': (files) =>
    files
      .flatMap(importsOf)
      .filter(({ from, to }) => HOME[packageOf(to)]?.every((home) => !from.startsWith(home)))
      .map(complaint),

  /** Of types neither: two files that need each other are one thing, or a third is missing. */
  'no import cycles': (files) => cyclesOf(files),

  'compiler and domain are pure': (files) =>
    files
      .filter(({ name, text }) => ['compiler', 'domain'].includes(floorOf(name)) && IMPURE.test(text))
      .map(({ name, text }) => `${name} must not use ${IMPURE.exec(text)?.[0]}`),

  'nothing below the doors prints': (files) =>
    files
      .filter(({ name, text }) => !['cli', 'server'].includes(floorOf(name)) && PRINTS.test(text))
      .map(({ name }) => `${name} must not print`),

  'only operations choose adapters, in workspace.ts': (files) =>
    files
      .flatMap(importsOf)
      .filter(
        ({ from, to, isType }) =>
          !isType &&
          floorOf(to) === 'adapters' &&
          floorOf(from) === 'operations' &&
          from !== 'operations/workspace.ts',
      )
      .map(complaint),

  'names say what a thing is': (files) =>
    files.filter(({ name }) => BAD_NAME.test(name)).map(({ name }) => `${name} has a name that says nothing`),

  /** The entry that package.json exports as `./client` is a face, not a barrel. */
  'no barrels inside the house': (files) =>
    files
      .filter(({ name }) => name.endsWith('/index.ts') && name !== 'client/index.ts')
      .map(({ name }) => `${name} is a barrel`),

  'a verb is a page': (files) => tooMany(linesOfVerbs(files), LONG_VERBS, 'lines', VERB_LINES_MAX),

  'a function is a page': (files) => tooMany(functionsIn(files), LONG_FUNCTIONS, 'lines', FUNCTION_LINES_MAX),

  'operations leave input and output to adapters': (files) =>
    tooMany(ioInOperations(files), {}, 'uses of input or output'),

  'engines have no names above adapters': (files) =>
    tooMany(engineNames(files), ENGINE_NAMES, 'names of engines'),

  'what only reads takes reading halves': (files) =>
    files
      .filter(({ name }) => READING_VERBS.some((verb) => name.startsWith(verb)))
      .map(({ name, text }) => ({ name, found: WRITING_HALF.exec(codeOf(text)) }))
      .flatMap(({ name, found }) => (found === null ? [] : [`${name} only reads, and names ${found[0]}`])),

  /** What outlives a call is in `product-caches.ts` or `ongoing-work.ts`, where a reader sees its bound. */
  'operations keep no hidden state': (files) => tooMany(hiddenState(files), {}, 'things that outlive a call'),

  'a file is named after the one thing it exports': (files) =>
    tooMany(otherNames(files), OTHER_NAMES, 'export of another name'),

  'a file is mostly named after one of several things that it exports': (files) =>
    tooMany(topicFiles(files), TOPIC_FILES, 'files that are named after none of their exports'),

  'names are words that a newcomer knows': (files) =>
    files.flatMap(({ name, text }) =>
      [...codeOf(text).matchAll(PRIVATE_NAME)].map(([found]) => `${name} has the private name ${found}`),
    ),

  'a type has a name of its own': (files) =>
    tooMany(sharedTypeNames(files), SHARED_TYPE_NAMES, 'files that export a type of this name', 1),

  /** SQLite has its threads and files besides; what a server does is mostly in `sql`. */
  'a further database for the state is a small adapter': (files) =>
    [...Map.groupBy(files, ({ name }) => adapterOf(name))]
      .filter(
        ([adapter, own]) =>
          adapter.startsWith('state/') &&
          !['state/sql', 'state/sqlite'].includes(adapter) &&
          own.every(({ name }) => name.split('/').length > 3),
      )
      .map(([adapter, own]) => ({
        adapter,
        lines: own.reduce((sum, { text }) => sum + text.split('\n').length - 1, 0),
      }))
      .filter(({ lines }) => lines > STATE_ADAPTER_LINES_MAX)
      .map(({ adapter, lines }) => `${adapter} has ${lines} lines, at most ${STATE_ADAPTER_LINES_MAX}`),

  'files stay short': (files) =>
    files
      .filter(({ name }) => !name.includes('/generated/'))
      .map(({ name, text }) => ({ name, lines: text.split('\n').length - 1 }))
      .filter(({ lines }) => lines > LINES_MAX)
      .map(({ name, lines }) => `${name} has ${lines} lines, at most ${LINES_MAX}`),
};

/** More than is written down, or than every other may have. */
const tooMany = (counts: Counts, known: Counts, what: string, max = 0): readonly string[] =>
  Object.entries(counts)
    .filter(([name, count]) => count > (known[name] ?? max))
    .map(([name, count]) => `${name} has ${count} ${what}, at most ${known[name] ?? max}`);

/** What is written down and is another number by now. */
const outdated = (known: Counts, counts: Counts): readonly string[] =>
  Object.entries(known)
    .filter(([name, written]) => written !== (counts[name] ?? 0))
    .map(([name, written]) => `${name} has ${counts[name] ?? 0}, written down are ${written}`);

/** Names of files, and beginnings of names, that no file has. */
const notThere = (files: readonly File[], names: readonly string[]): readonly string[] =>
  names.filter((name) => !files.some((file) => file.name.startsWith(name)));

/** What rooms of operations may import and do not. */
function unusedImports(
  files: readonly File[],
  rooms: Readonly<Record<string, readonly string[]>>,
): readonly string[] {
  const seen = new Set(
    files
      .flatMap(importsOf)
      .filter(({ from, to }) => floorOf(from) === 'operations' && floorOf(to) === 'operations')
      .map(({ from, to }) => `${operationRoomOf(from)} → ${operationRoomOf(to)}`),
  );
  return Object.entries(rooms)
    .flatMap(([room, others]) => others.map((other) => `${room} → ${other}`))
    .filter((edge) => !seen.has(edge));
}

/** Those that a door imports. */
function linesOfVerbs(files: readonly File[]): Counts {
  const verbs = new Set(
    files
      .filter(({ name }) => ['cli', 'server'].includes(floorOf(name)))
      .flatMap(importsOf)
      .map(({ to }) => to),
  );
  return Object.fromEntries(
    files
      .filter(({ name }) => floorOf(name) === 'operations' && verbs.has(name))
      .map(({ name, text }): [string, number] => [name, text.split('\n').length - 1])
      .filter(([, lines]) => lines > VERB_LINES_MAX),
  );
}

/** To parse all of `src` takes seconds. */
const measured = new WeakMap<readonly File[], Counts>();

function functionsIn(files: readonly File[]): Counts {
  const found = measured.get(files) ?? longFunctions(files, FUNCTION_LINES_MAX);
  measured.set(files, found);
  return found;
}

const ioInOperations = (files: readonly File[]): Counts =>
  matches(
    files.filter(({ name }) => floorOf(name) === 'operations'),
    IO,
  );

const hiddenState = (files: readonly File[]): Counts =>
  matches(
    files.filter(({ name }) => floorOf(name) === 'operations'),
    MODULE_STATE,
  );

const EXPORT = /^export (?:async )?(?:function\*?|const|class|interface|type) (\w+)/gm;

/** The name as it is, without `Of`, or without the name of the folder: `parse/star.ts` has `parseStar`. Commands all export `run`. */
function otherNames(files: readonly File[]): Counts {
  return Object.fromEntries(
    files
      .filter(({ name }) => !name.startsWith('cli/commands/') && !name.includes('/generated/'))
      .filter(({ name, text }) => {
        const [only = '', ...more] = exportsOf(text);
        return only !== '' && more.length === 0 && only !== only.toUpperCase() && !isNamedAfter(name, only);
      })
      .map(({ name }) => [name, 1]),
  );
}

const exportsOf = (text: string): ReadonlySet<string> =>
  new Set([...text.matchAll(EXPORT)].map(([, exported = '']) => exported));

function isNamedAfter(path: string, exported: string): boolean {
  const [file = '', folder = ''] = path.replace(/\.ts$/, '').split('/').reverse();
  return [file, `${file}-of`, `${folder}-${file}`].includes(kebab(exported));
}

/** By room: files that export several things and are named after none of them, but after what they have in common. */
function topicFiles(files: readonly File[]): Counts {
  const topics = files
    .filter(({ name }) => !name.startsWith('cli/commands/') && !name.includes('/generated/'))
    .filter(({ name, text }) => {
      const exported = [...exportsOf(text)];
      const isOne = (each: string): boolean => isNamedAfter(name, each) || isNamedAfter(name, `${each}s`);
      return exported.length > 1 && !exported.some(isOne);
    });
  return Object.fromEntries(
    [...Map.groupBy(topics, ({ name }) => roomOf(name))].map(([room, own]) => [room, own.length]),
  );
}

/** A floor, or a room directly in it. */
const roomOf = (name: string): string =>
  name
    .split('/')
    .slice(0, Math.min(2, name.split('/').length - 1))
    .join('/');

const EXPORTED_TYPE = /^export (?:abstract )?(?:class|interface|type) (\w+)/gm;

/** By name. The client says again what the server answers; it is a program of its own. */
function sharedTypeNames(files: readonly File[]): Counts {
  const exported = files
    .filter(({ name }) => floorOf(name) !== 'client' && !name.includes('/generated/'))
    .flatMap(({ text }) => [...new Set([...text.matchAll(EXPORTED_TYPE)].map(([, type = '']) => type))]);
  return Object.fromEntries(
    [...Map.groupBy(exported, (type) => type)]
      .map(([type, found]): [string, number] => [type, found.length])
      .filter(([, count]) => count > 1),
  );
}

const kebab = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1-$2')
    .toLowerCase();

/** By room: a file that is cut in two has no more of them. */
function engineNames(files: readonly File[]): Counts {
  const above = files.filter(
    ({ name }) => !/^(?:adapters|client|foundation\/sql)\//.test(name) && !name.includes('/generated/'),
  );
  const counts = new Map<string, number>();
  for (const [name, count] of Object.entries(matches(above, ENGINE_NAME))) {
    counts.set(roomOf(name), (counts.get(roomOf(name)) ?? 0) + count);
  }
  return Object.fromEntries(counts);
}

/** Without imports, comments and texts: names that are used. */
const codeOf = (text: string): string =>
  text
    .replace(/^import [^;]*;/gm, '')
    .replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')
    .replace(/'[^'\n]*'/g, "''");

/** By file; those without are left out. */
const matches = (files: readonly File[], pattern: RegExp): Counts =>
  Object.fromEntries(
    files
      .map(({ name, text }): [string, number] => [name, [...text.matchAll(pattern)].length])
      .filter(([, count]) => count > 0),
  );

/** Empty for files at the root. */
function operationRoomOf(name: string): string {
  const parts = name.split('/');
  return parts.length > 2 ? (parts[1] ?? '') : '';
}

/** Empty for files beside the rooms, and for other floors. */
const httpRoomOf = (name: string): string => /^server\/http\/(\w+)\//.exec(name)?.[1] ?? '';
/** What adapters of its kind share. */
const roomsOfAll = (name: string): readonly string[] =>
  ['sql', 'connection'].map((room) => `${name.split('/')[1]}/${room}`);

/** Directly in the room of a kind: picks one of them. */
const OPENS_ANY = /^adapters\/[^/]+\/open-[^/]+\.ts$/;

/** A file directly in a room of several kinds opens the kind that is asked for. */
function adapterOf(name: string): string {
  const [, room = '', kind = ''] = name.split('/');
  return ['engines', 'state', 'results', 'channels'].includes(room) ? `${room}/${kind}` : room;
}

function cyclesOf(files: readonly File[]): readonly string[] {
  const next = new Map<string, string[]>();
  for (const file of files) {
    const lazyFree = { ...file, text: file.text.replace(/\bimport\(\s*'[^']+'/g, '') };
    next.set(
      file.name,
      importsOf(lazyFree).map(({ to }) => to),
    );
  }
  const cycles: string[] = [];
  const done = new Set<string>();
  const visit = (name: string, path: readonly string[]): void => {
    if (path.includes(name)) {
      cycles.push([...path.slice(path.indexOf(name)), name].join(' → '));
      return;
    }
    if (done.has(name)) return;
    for (const to of next.get(name) ?? []) visit(to, [...path, name]);
    done.add(name);
  };
  for (const name of next.keys()) visit(name, []);
  return cycles;
}

const SRC = join(import.meta.dirname, '../src');
const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .map((name) => ({ name, text: readFileSync(join(SRC, name), 'utf8') }));

describe('architecture', () => {
  test.each(Object.keys(rules))('%s', (rule) => {
    const complaints = (rules[rule]?.(files) ?? []).filter((text) => !isException(text));
    expect(complaints).toEqual([]);
  });
  test('every import between rooms of operations that is allowed is there', () => {
    expect(unusedImports(files, OPERATION_ROOMS)).toEqual([]);
  });
  test('every verb that only reads is there', () => {
    expect(notThere(files, READING_VERBS)).toEqual([]);
  });
  test('every file at the root of operations is there', () => {
    expect(notThere(files, OPERATIONS_ROOT)).toEqual([]);
  });
  test.each([
    ['LONG_VERBS', LONG_VERBS, linesOfVerbs],
    ['LONG_FUNCTIONS', LONG_FUNCTIONS, functionsIn],
    ['ENGINE_NAMES', ENGINE_NAMES, engineNames],
    ['OTHER_NAMES', OTHER_NAMES, otherNames],
    ['SHARED_TYPE_NAMES', SHARED_TYPE_NAMES, sharedTypeNames],
    ['TOPIC_FILES', TOPIC_FILES, topicFiles],
  ] as const)('numbers of %s are as low as they can be', (_, known, count) => {
    expect(outdated(known, count(files))).toEqual([]);
  });
  test('every exception is still needed', () => {
    const all = Object.values(rules).flatMap((rule) => rule(files));
    expect(
      Object.keys(EXCEPTIONS).filter((file) => !all.some((text) => text.startsWith(`${file} `))),
    ).toEqual([]);
  });
  test('test files stay within 800 lines', () => {
    const long = [SRC, join(SRC, '../tests'), join(SRC, '../bench')].flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.test.ts'))
        .filter((name) => readFileSync(join(folder, name), 'utf8').split('\n').length > 801),
    );
    expect(long).toEqual([]);
  });
});

describe('the rules themselves can fail', () => {
  const planted: Readonly<Record<string, readonly File[]>> = {
    'imports go down the floor plan': [
      { name: 'cli/a.ts', text: "import type {\n  B,\n} from '../compiler/load/b.ts';" },
    ],
    'rooms of the compiler see only lower rooms': [
      { name: 'compiler/plan/a.ts', text: "import { b } from '../semantic/b.ts';" },
    ],
    'rooms of operations see only the rooms they list': [
      { name: 'operations/access/a.ts', text: "import { b } from '../change/b.ts';" },
    ],
    'what a person does has a room': [{ name: 'operations/a.ts', text: '' }],
    'adapters do not know one another': [
      { name: 'adapters/engines/duckdb/a.ts', text: "import { b } from '../postgres/b.ts';" },
    ],
    'doors of the server are separate rooms, and the two doors do not meet': [
      { name: 'server/http/a.ts', text: "import { b } from '../pgwire/b.ts';" },
    ],
    'rooms of the HTTP door see only the rooms they list': [
      { name: 'server/http/answers/a.ts', text: "import { b } from '../arrival/b.ts';" },
      { name: 'server/http/routes/a.ts', text: "import { b } from '../answers/b.ts';" },
    ],
    'a library stays in its home': [
      { name: 'server/http/a.ts', text: "const sdk = await import('@polyglot-sql/sdk');" },
    ],
    'no import cycles': [
      { name: 'domain/a.ts', text: "import { b } from './b.ts';" },
      { name: 'domain/b.ts', text: "import type { A } from './a.ts';" },
    ],
    'compiler and domain are pure': [{ name: 'compiler/load/a.ts', text: 'const now = new Date();' }],
    'nothing below the doors prints': [{ name: 'runtime/a.ts', text: "console.log('x');" }],
    'only operations choose adapters, in workspace.ts': [
      { name: 'operations/change/plan.ts', text: "import { a } from '../../adapters/files/a.ts';" },
    ],
    'names say what a thing is': [{ name: 'domain/utils.ts', text: '' }],
    'no barrels inside the house': [{ name: 'domain/index.ts', text: '' }],
    'a verb is a page': [
      { name: 'cli/a.ts', text: "import { b } from '../operations/ask/b.ts';" },
      { name: 'operations/ask/b.ts', text: 'x\n'.repeat(VERB_LINES_MAX + 1) },
      { name: 'operations/ask/c.ts', text: 'x\n'.repeat(VERB_LINES_MAX + 1) },
    ],
    'a function is a page': [
      {
        name: 'domain/a.ts',
        text: `export const a = (): void => {\n${'f();\n'.repeat(FUNCTION_LINES_MAX - 1)}};`,
      },
      {
        name: 'domain/b.ts',
        text: `class B {\n  c = 1;\n  d(): void {\n${'f();\n'.repeat(FUNCTION_LINES_MAX - 2)}}\n  e = 1;\n}`,
      },
    ],
    'operations leave input and output to adapters': [
      { name: 'operations/ask/a.ts', text: "import { rm } from 'node:fs/promises';" },
      { name: 'operations/ask/b.ts', text: "import { join } from 'node:path';\nawait this.#fetch();" },
    ],
    'engines have no names above adapters': [
      { name: 'server/pgwire/a.ts', text: "if (engine === 'duckdb') return;" },
      { name: 'adapters/engines/a.ts', text: "const kind = 'duckdb';" },
    ],
    'what only reads takes reading halves': [
      {
        name: 'operations/catalog/impact.ts',
        text: 'export const a = ({ state }: OpenedWorld) => state.trim();',
      },
      {
        name: 'operations/catalog/lineage.ts',
        text: "import type { Workspace } from '../workspace.ts';\nconst b = ({ files }: Pick<Workspace, 'files'>, c: WorldReader) => c;",
      },
      { name: 'operations/change/apply.ts', text: 'export const a = (world: OpenedWorld) => world;' },
    ],
    'operations keep no hidden state': [
      { name: 'operations/ask/a.ts', text: 'const known = new WeakMap<Product, string>();' },
      { name: 'operations/ask/b.ts', text: "const WORDS = new Set(['a']);" },
    ],
    'a file is named after the one thing it exports': [
      { name: 'domain/price.ts', text: 'export function costOf(): void {}' },
      { name: 'domain/cost.ts', text: 'export function costOf(): void {}' },
      { name: 'domain/parse/cost.ts', text: 'export const parseCost = 1;' },
      { name: 'domain/costs.ts', text: 'export const a = 1;\nexport const b = 2;' },
    ],
    'a file is mostly named after one of several things that it exports': [
      { name: 'server/pgwire/a.ts', text: 'export const b = 1;\nexport const c = 2;' },
      { name: 'server/pgwire/prices.ts', text: 'export interface Price {}\nexport const priceOf = 1;' },
      { name: 'server/pgwire/price.ts', text: 'export const priceOf = 1;\nexport const cost = 2;' },
    ],
    'names are words that a newcomer knows': [
      { name: 'domain/check.ts', text: 'export const isTold = (outstanding: boolean) => outstanding;' },
      { name: 'domain/plan.ts', text: "// As users are told.\nexport const words = 'judged';" },
    ],
    'a type has a name of its own': [
      { name: 'domain/order.ts', text: 'export interface Order {}\nexport interface Price {}' },
      { name: 'compiler/load/clauses.ts', text: "export type Order = 'up' | 'down';\ntype Price = number;" },
    ],
    'a further database for the state is a small adapter': [
      { name: 'adapters/state/mysql/a.ts', text: 'x\n'.repeat(STATE_ADAPTER_LINES_MAX) },
      { name: 'adapters/state/mysql/b.ts', text: 'x\n' },
      { name: 'adapters/state/sql/a.ts', text: 'x\n'.repeat(STATE_ADAPTER_LINES_MAX + 1) },
      { name: 'adapters/state/postgres/a.ts', text: 'x\n'.repeat(STATE_ADAPTER_LINES_MAX) },
    ],
    'files stay short': [{ name: 'cli/a.ts', text: 'x\n'.repeat(LINES_MAX + 1) }],
  };
  test.each(Object.keys(rules))('%s', (rule) => expect(rules[rule]?.(planted[rule] ?? [])).toHaveLength(1));
  test.each([
    ['operations/ask/a.ts', VERB_LINES_MAX],
    ['cli', 0],
  ])('a number of %s that grows is a complaint, one that falls has to be written down', (name, max) => {
    const known = { [name]: 90 };
    expect(tooMany({ [name]: 91 }, known, 'of them', max)).toHaveLength(1);
    expect(tooMany({ [name]: 90 }, known, 'of them', max)).toEqual([]);
    expect(tooMany({ [name]: 89 }, known, 'of them', max)).toEqual([]);
    expect(outdated(known, { [name]: 90 })).toEqual([]);
    expect(outdated(known, { [name]: 89 })).toHaveLength(1);
    expect(outdated(known, {})).toHaveLength(1);
  });
  test('names of engines are counted by room, so that a new file brings no more', () => {
    const named = (name: string): File => ({ name, text: "if (engine === 'duckdb') return;" });
    expect(engineNames([named('cli/commands/a.ts'), named('cli/commands/b.ts'), named('cli/a.ts')])).toEqual({
      'cli/commands': 2,
      cli: 1,
    });
    expect(engineNames([named('adapters/engines/a.ts'), named('foundation/sql/a.ts')])).toEqual({});
  });
  test('lists of files and of allowed imports hold only what is there', () => {
    const planted = [{ name: 'operations/ask/a.ts', text: "import { b } from '../access/b.ts';" }];
    expect(unusedImports(planted, { ask: ['access'] })).toEqual([]);
    expect(unusedImports(planted, { ask: ['access', 'change'] })).toEqual(['ask → change']);
    expect(notThere(planted, ['operations/ask/a.ts', 'operations/ask/'])).toEqual([]);
    expect(notThere(planted, ['operations/ask/b.ts'])).toEqual(['operations/ask/b.ts']);
  });
  test.each([
    'const a = new Map<string, Map<string, Promise<string>>>();',
    'const a: Map<string, string> = new Map();',
    'export const a = new WeakMap<\n  Product,\n  string\n>();',
    'let last = 0;',
  ])('%s is state of a module', (text) => {
    expect(hiddenState([{ name: 'operations/ask/a.ts', text }])).toEqual({ 'operations/ask/a.ts': 1 });
  });
  test('the rules see every floor', () => {
    const floors = new Set(files.filter(({ name }) => name.includes('/')).map(({ name }) => floorOf(name)));
    expect([...floors].sort()).toEqual(Object.keys(MAY_IMPORT).sort());
  });
});
