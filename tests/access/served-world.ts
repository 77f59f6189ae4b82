/* A world that is planned and served in this process, and its life: open, closed, rolled back, damaged. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createPrincipal } from '../../src/operations/access/create-principal.ts';
import { createToken } from '../../src/operations/access/create-token.ts';
import type { Platform } from '../../src/operations/platform.ts';
import { openPlatform } from '../../src/operations/serve/open-platform.ts';
import type { RunningServer } from '../../src/operations/serve/running-server.ts';
import { startServer } from '../../src/server/start-server.ts';
import { runPlinth } from '../e2e/run-plinth.ts';
import { planProduct } from '../support/served-product.ts';
import { type TemporaryProject, temporaryProject } from '../support/temporary-project.ts';
import { type Moment, View } from './oracle.ts';
import type { Told } from './scan.ts';
import type { Caller, CallerName, EnvironmentRole, World } from './world.ts';
import { brokenFiles, filesOf, PRODUCT_NAME } from './write-world.ts';

const NOW = Date.UTC(2025, 5, 15);
export const TENANT = 'default';
/** The plan of it fails. */
const BROKEN = 'trial';

export interface Sent {
  readonly method: string;
  /** Below the API of the product, unless it begins with another door. */
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Of streams: read until this is in it. */
  readonly until?: (text: string) => boolean;
}

/** An answer over HTTP. */
export interface Got extends Told {
  readonly status: number;
  readonly type: string;
  readonly headers: Headers;
  /** The body as text. */
  readonly body: string;
}

/** How a command ended. */
export interface CommandEnd extends Told {
  readonly code: number;
  readonly stdout: string;
}

const BINARY = /parquet|arrow/;

export class ServedWorld {
  readonly world: World;
  readonly project: TemporaryProject;
  moment: Moment;
  readonly #platform: Platform;
  readonly #tokens = new Map<CallerName, string>();
  readonly #views = new Map<string, View>();
  #server: RunningServer;
  #written: Readonly<Record<string, string>> = {};

  private constructor(
    world: World,
    parts: { project: TemporaryProject; platform: Platform; server: RunningServer },
  ) {
    this.world = world;
    this.project = parts.project;
    this.#platform = parts.platform;
    this.#server = parts.server;
    const { open } = world;
    this.moment = { stages: { default: open, early: open, late: open } };
  }

  /** Planned without policies, in the default environment and in `early`; callers are known. */
  static async start(world: World): Promise<ServedWorld> {
    const project = temporaryProject(filesOf(world, world.open));
    const platform = await openPlatform({ folders: [project.folder], variables: {}, executionTime: NOW });
    const [product] = platform.products;
    if (product === undefined) throw new Error('nothing is served');
    await planProduct(product);
    await planProduct(product, 'early');
    const { state, clock } = product.world;
    const context = { principals: state.principals, eventsOf: TENANT, actor: 'test', now: clock.now() };
    const principal = await createPrincipal(context, {
      tenant: TENANT,
      name: 'root',
      kind: 'user',
      isPlatformAdmin: true,
      groups: [],
    });
    const { text } = await createToken(context, { principal, name: 'root' });
    const served = new ServedWorld(world, { project, platform, server: await serving(project) });
    served.#tokens.set('root', text);
    for (const caller of world.callers) await served.#admit(caller);
    return served;
  }

  async #admit({ name, groups, tenantRole, mayReadModels }: Caller): Promise<void> {
    if (['root', 'command-line', 'as-group'].includes(name)) return;
    await this.#platformCall('POST', 'users', {
      name,
      groups: name === 'leaver' ? ['full'] : groups,
      ...(tenantRole === undefined ? {} : { role: tenantRole }),
    });
    const made = await this.#platformCall('POST', 'tokens', {
      principal: name,
      ...(mayReadModels ? {} : { scopes: ['query:read'] }),
    });
    this.#tokens.set(name, JSON.parse(made.body).token as string);
  }

  async #platformCall(method: string, path: string, body: unknown): Promise<Got> {
    const got = await this.send('root', { method, path: `/platform-api/v1/tenants/${TENANT}/${path}`, body });
    if (got.status >= 300) throw new Error(`${method} ${path}: ${got.text}`);
    return got;
  }

  get url(): string {
    return this.#server.url;
  }

  /** Below which the addresses of the product are. */
  get base(): string {
    return `/plinth/tenants/${TENANT}/data-products/${TENANT}-${PRODUCT_NAME}`;
  }

  /** What somebody may see by now. */
  view(caller: Caller, environment: EnvironmentRole): View {
    const key = `${caller.name} ${environment}`;
    let view = this.#views.get(key);
    if (view?.moment !== this.moment) {
      view = new View(this.world, this.moment, { caller, environment });
      this.#views.set(key, view);
    }
    return view;
  }

  tokenOf(caller: CallerName): string {
    return this.#tokens.get(caller) ?? '';
  }

  environmentName(role: EnvironmentRole): string {
    return role === 'default' ? this.world.defaultEnvironment : role;
  }

  async send(as: CallerName, sent: Sent): Promise<Got> {
    try {
      return await this.#exchange(as, sent);
    } catch (cause) {
      throw new Error(`${sent.method} ${sent.path} by ${as} broke off`, { cause });
    }
  }

  async #exchange(as: CallerName, { method, path, body, headers = {}, until }: Sent): Promise<Got> {
    const isPlatform = path.startsWith('/platform-api');
    const address = isPlatform || path.startsWith('/plinth') ? path : `${this.base}/api/v1${path}`;
    const token = this.tokenOf(as);
    const stop = new AbortController();
    const answer = await fetch(`${this.url}${address}`, {
      method,
      signal: stop.signal,
      headers: {
        ...(isPlatform ? { apikey: token } : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const bytes =
      until === undefined ? Buffer.from(await answer.arrayBuffer()) : await streamed(answer, until, stop);
    const type = answer.headers.get('content-type') ?? '';
    const isBinary = BINARY.test(type);
    const shown = isBinary ? '' : bytes.toString('utf8');
    return {
      status: answer.status,
      type,
      headers: answer.headers,
      body: shown,
      text: `${answer.status}\n${[...answer.headers].map(([name, value]) => `${name}: ${value}`).join('\n')}\n\n${shown}`,
      ...(isBinary ? { bytes } : {}),
    };
  }

  /** A command in the project's folder. */
  async command(...args: readonly string[]): Promise<CommandEnd> {
    const { code, stdout, stderr } = await runPlinth(args, {
      cwd: this.project.folder,
      variables: { PLINTH_NOW: '2025-06-15', NO_COLOR: '1' },
    });
    return { code: code ?? 1, stdout, text: `${stdout}${stderr}` };
  }

  /** Policies come into force; `late` is planned with others. One plan of another environment fails. */
  async close(): Promise<void> {
    const { world } = this;
    await this.#planned(filesOf(world, world.closed));
    await this.#planned(filesOf(world, world.late), 'late');
    const isFailed = await this.#planned(brokenFiles(world), BROKEN).then(
      () => false,
      () => true,
    );
    if (!isFailed) throw new Error(`the plan of ${BROKEN} should fail`);
    this.#write(filesOf(world, world.closed));
    this.moment = { stages: { default: world.closed, early: world.open, late: world.late } };
  }

  /** Back to what was before there were policies; the end of the command. */
  async rollBack({ isAllowed }: { readonly isAllowed: boolean }): Promise<CommandEnd> {
    const { world } = this;
    const end = await this.command(
      'rollback',
      world.defaultEnvironment,
      '--yes',
      ...(isAllowed ? ['--allow-wider-access'] : []),
    );
    if (isAllowed && end.code === 0)
      this.moment = { stages: { default: world.open, early: world.open, late: world.late } };
    return end;
  }

  /** A plan that takes the policies back; the end of the command. */
  async planOpen(): Promise<CommandEnd> {
    const { world } = this;
    this.#write(filesOf(world, world.open));
    const end = await this.command('plan', world.defaultEnvironment, '--yes');
    this.#write(filesOf(world, world.closed));
    return end;
  }

  /** Policies come back. */
  async closeAgain(): Promise<void> {
    const { world } = this;
    await this.#planned(filesOf(world, world.closed));
    this.moment = { stages: { default: world.closed, early: world.open, late: world.late } };
  }

  async changeGroups(caller: CallerName, groups: readonly string[]): Promise<void> {
    await this.#platformCall('PATCH', `users/${caller}`, { groups });
  }

  /** The record of what the default environment was planned with is gone; another server begins. */
  async lose(): Promise<void> {
    await this.#server.close();
    const state = new DatabaseSync(join(this.project.folder, '.plinth/state.db'));
    state.exec('PRAGMA foreign_keys = OFF; DELETE FROM plans');
    state.close();
    this.#server = await serving(this.project);
    this.moment = { ...this.moment, isLost: true };
  }

  #write(files: Readonly<Record<string, string>>): void {
    for (const path of Object.keys(this.#written)) if (!Object.hasOwn(files, path)) this.project.remove(path);
    this.project.write(files);
    this.#written = files;
  }

  async #planned(files: Readonly<Record<string, string>>, environment?: string): Promise<void> {
    this.#write(files);
    const [product] = this.#platform.products;
    if (product === undefined) throw new Error('nothing is served');
    await planProduct(product, environment);
  }

  async stop(): Promise<void> {
    await this.#server.close();
    await this.#platform.close();
    this.project.delete();
  }
}

const serving = (project: TemporaryProject): Promise<RunningServer> =>
  startServer({
    folders: [project.folder],
    variables: {},
    executionTime: NOW,
    host: '127.0.0.1',
    port: 0,
    auth: 'required',
    hasScheduler: false,
    isForced: false,
    log: () => undefined,
  });

/** What has come when `until` is content; bounded by the time that the request may take. */
async function streamed(
  answer: Response,
  until: (text: string) => boolean,
  stop: AbortController,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const timer = setTimeout(() => stop.abort(), 5_000);
  try {
    for await (const chunk of answer.body ?? []) {
      chunks.push(Buffer.from(chunk));
      if (until(Buffer.concat(chunks).toString('utf8'))) break;
    }
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  } finally {
    clearTimeout(timer);
    stop.abort();
  }
  return Buffer.concat(chunks);
}
