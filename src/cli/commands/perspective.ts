import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import { Failure, failure } from '../../domain/failure.ts';
import { LOCAL_ADMIN } from '../../domain/local-admin.ts';
import type {
  PerspectiveParameter,
  PerspectiveQuery,
  PerspectiveVisibility,
} from '../../domain/perspective.ts';
import { isoInstant } from '../../foundation/time/iso.ts';
import { Directory } from '../../operations/access/directory.ts';
import { openWorld } from '../../operations/open-world.ts';
import { ownPlatform } from '../../operations/own-platform.ts';
import { changePerspective } from '../../operations/perspectives/change-perspective.ts';
import { createPerspective } from '../../operations/perspectives/create-perspective.ts';
import { fillOwn } from '../../operations/perspectives/fill-own.ts';
import {
  getPerspective,
  listPerspectives,
  perspectiveVersions,
} from '../../operations/perspectives/list-perspectives.ts';
import type {
  PerspectiveAnswer,
  PerspectiveFields,
} from '../../operations/perspectives/perspective-fields.ts';
import { removePerspective } from '../../operations/perspectives/remove-perspective.ts';
import { rewritePerspective } from '../../operations/perspectives/rewrite-perspective.ts';
import type { ShownPerspective } from '../../operations/perspectives/shown-perspective.ts';
import type { Product } from '../../operations/platform.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';
import { conflict, textOf } from '../question.ts';
import { refusal } from '../refusal.ts';
import { renderTable } from '../render/table.ts';
import { badValue } from '../times.ts';
import { ask } from './query.ts';

interface Opened {
  readonly product: Product;
  readonly directory: Directory;
}

/** Shown at once; who has more uses the API. */
const LISTED = 200;

export async function run(context: CommandContext): Promise<CommandAnswer> {
  const [action = 'list', slug] = context.arguments;
  const opened = await open(context);
  if (action === 'list') return listed(context, opened);
  if (slug === undefined || slug === '')
    throw failure('cli.missing-argument', {
      command: `perspective ${action}`,
      argument: action === 'create' ? 'a name' : 'a slug or id',
    });
  switch (action) {
    case 'show':
      return shown(await getPerspective(opened.product, LOCAL_ADMIN, slug));
    case 'create':
      return create(context, opened, slug);
    case 'change':
      return change(opened, slug, { fields: fieldsOf(context) });
    case 'transfer':
      return change(opened, slug, { fields: {}, owner: ownerIn(context) });
    case 'result':
      return result(context, opened, slug);
    case 'versions':
      return versions(opened, slug);
    case 'rewrite':
      return rewrite(opened, slug);
    default:
      await removePerspective(opened.product, LOCAL_ADMIN, { slug });
      return { data: { removed: slug }, print: ({ note }) => note(`${slug} is removed.`) };
  }
}

async function open(context: CommandContext): Promise<Opened> {
  const workspace = await context.workspace();
  const platform = ownPlatform(workspace, await openWorld(workspace));
  const [product] = platform.products;
  if (product === undefined) throw new Error('a folder is a product');
  const now = workspace.clock.now();
  return { product, directory: new Directory(platform, { principalId: workspace.who, now }) };
}

async function listed(context: CommandContext, { product }: Opened): Promise<CommandAnswer> {
  const visibility = context.values.get('visibility') as PerspectiveVisibility['kind'] | undefined;
  const found = await listPerspectives(product, LOCAL_ADMIN, { visibility, limit: LISTED });
  return {
    data: { perspectives: found.map(json) },
    print: (terminal) => {
      if (found.length === 0) return terminal.note('There are no perspectives.');
      const titles = ['perspective', 'name', 'owner', 'visibility', 'version', 'id'];
      const rows = found.map((each) => [
        each.slug,
        each.name,
        each.owner.name,
        each.visibility.kind,
        String(each.version),
        each.id,
      ]);
      terminal.out(
        renderTable(
          terminal,
          titles.map((title) => ({ title })),
          rows,
        ),
      );
    },
  };
}

const json = ({ visibility, owner, question, isRefreshed, ...shownOne }: ShownPerspective) => ({
  id: shownOne.id,
  slug: shownOne.slug,
  name: shownOne.name,
  description: shownOne.description ?? null,
  ...(question === undefined
    ? {}
    : {
        query: question.query.kind === 'sql' ? question.query.sql : question.query.query,
        params: question.params,
      }),
  visibility: visibility.kind,
  principals:
    visibility.kind === 'shared'
      ? visibility.principals.map((each) => (each.kind === 'group' ? `group:${each.name}` : each.name))
      : [],
  tags: shownOne.tags,
  auto_refresh: isRefreshed,
  owner: owner.name,
  version: shownOne.version,
  created_at: isoInstant(shownOne.createdAt),
  changed_at: isoInstant(shownOne.changedAt),
});

function shown(perspective: ShownPerspective): CommandAnswer {
  const data = json(perspective);
  return {
    data: { perspective: data },
    print: ({ out }) => {
      for (const [name, value] of Object.entries(data))
        if (value !== null) out(`${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`);
    },
  };
}

async function versions({ product }: Opened, slug: string): Promise<CommandAnswer> {
  const found = await perspectiveVersions(product, LOCAL_ADMIN, { slug, limit: LISTED });
  return {
    data: { versions: found.map(json) },
    print: ({ out }) => {
      for (const { version, changedAt, name, owner } of found)
        out(`${version}  ${isoInstant(changedAt)}  ${owner.name}  ${name}`);
    },
  };
}

async function create(
  context: CommandContext,
  { product, directory }: Opened,
  name: string,
): Promise<CommandAnswer> {
  const statementId = context.values.get('statement');
  const answer = await createPerspective(
    directory,
    { product, asker: LOCAL_ADMIN },
    { ...fieldsOf(context), name, statementId },
  );
  return settled(answer, 'is made');
}

async function change(
  { product, directory }: Opened,
  slug: string,
  changed: { readonly fields: PerspectiveFields; readonly owner?: string },
): Promise<CommandAnswer> {
  const answer = await changePerspective(directory, { product, asker: LOCAL_ADMIN }, { slug, ...changed });
  return settled(answer, 'is changed');
}

async function rewrite({ product, directory }: Opened, slug: string): Promise<CommandAnswer> {
  const { answer, renames } = await rewritePerspective(directory, { product, asker: LOCAL_ADMIN }, slug);
  const words = renames.map(({ model, from, to }) => `${model}.${from} is ${model}.${to} now`);
  return settled(answer, `asks by the new names: ${words.join(', ')}`);
}

function settled(answer: PerspectiveAnswer, what: string): CommandAnswer {
  if (answer.kind === 'refused') return refusal(answer.diagnostics);
  if (answer.kind === 'taken') {
    const { slug, free } = answer;
    throw new Failure(diagnostic('perspective.taken', { slug }, { hint: `free are ${free.join(', ')}` }));
  }
  const { id, slug, version } = answer.perspective;
  return {
    data: { perspective: { id, slug, version } },
    print: ({ note }) => note(`${slug} (${id}) ${what}.`),
  };
}

async function result(context: CommandContext, { product }: Opened, slug: string): Promise<CommandAnswer> {
  const written = context.values.get('params');
  const values: unknown = written === undefined ? {} : jsonIn('params', written);
  if (typeof values !== 'object' || values === null || Array.isArray(values))
    throw badValue('params', written ?? '', 'a JSON object with values');
  const filled = await fillOwn(product, LOCAL_ADMIN, {
    slug,
    values: values as Readonly<Record<string, unknown>>,
  });
  return filled.ok ? ask(context, filled.question) : refusal(filled.diagnostics);
}

function ownerIn({ values }: CommandContext): string {
  const owner = values.get('owner');
  if (owner === undefined)
    throw failure('cli.missing-argument', { command: 'perspective transfer', argument: '--owner NAME' });
  return owner;
}

function fieldsOf({ values }: CommandContext): PerspectiveFields {
  const params = values.get('params');
  const refreshed = values.get('auto-refresh');
  return {
    slug: values.get('slug'),
    name: values.get('name'),
    description: values.get('description'),
    query: queryOf(values),
    params: params === undefined ? undefined : paramsOf(params),
    visibility: values.get('visibility') as PerspectiveVisibility['kind'] | undefined,
    principals: listOf(values.get('with')),
    tags: listOf(values.get('tags')),
    isRefreshed: refreshed === undefined ? undefined : refreshed === 'on',
  };
}

function queryOf(values: CommandContext['values']): PerspectiveQuery | undefined {
  const [query, sql] = [values.get('query'), values.get('sql')];
  if (query !== undefined && sql !== undefined) throw conflict('--query', '--sql');
  if (sql !== undefined) return { kind: 'sql', sql: textOf(sql) };
  return query === undefined ? undefined : { kind: 'semantic', query: jsonIn('query', textOf(query)) };
}

/** What the API takes: `list` for several values. */
function paramsOf(text: string): readonly PerspectiveParameter[] {
  const data = jsonIn('params', text);
  if (
    !Array.isArray(data) ||
    data.some((each) => typeof each?.name !== 'string' || typeof each.type !== 'string')
  )
    throw badValue('params', text, 'a JSON list of {"name", "type", "default", …}');
  return data.map(({ list, ...param }) => ({ ...param, ...(list === true ? { isList: true } : {}) }));
}

function jsonIn(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw badValue(name, text.slice(0, 60), 'JSON');
  }
}

const listOf = (text: string | undefined): readonly string[] | undefined =>
  text
    ?.split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
