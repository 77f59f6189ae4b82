import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import { failure } from '../../domain/failure.ts';
import { isoInstant } from '../../foundation/time/iso.ts';
import type { RunningServer } from '../../operations/serve/running-server.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';
import { serverAddresses } from '../render/server-addresses.ts';

const DRAIN_MS = 30_000;

export async function run(context: CommandContext): Promise<CommandAnswer> {
  const { values, switches, terminal, doors, executionTime, folder } = context;
  const { stop, cancel } = context.interruption({ drains: true });
  const [certificate, key] = [values.get('tls-cert'), values.get('tls-key')];
  if ((certificate === undefined) !== (key === undefined))
    throw failure('server.cannot-read-tls', {
      path: certificate ?? key ?? '',
      detail: `${certificate === undefined ? '--tls-cert' : '--tls-key'} is missing`,
    });
  const log = logBelow(context);
  const starting = doors.startServer({
    folders: context.arguments.length === 0 ? [folder] : context.arguments,
    variables: process.env,
    gateway: values.get('gateway'),
    executionTime,
    host: values.get('host') ?? '127.0.0.1',
    port: portOf(values.get('port')),
    auth: values.get('auth') === 'required' ? 'required' : 'disabled',
    ...(certificate === undefined || key === undefined ? {} : { tls: { certificate, key } }),
    hasScheduler: !switches.has('no-scheduler'),
    isForced: switches.has('force'),
    log: log.write,
  });
  const server = await starting.catch((error: unknown) => {
    log.open();
    throw error;
  });
  if (certificate !== undefined) reloadOnHangUp(context, server);
  tellLost(context, server);
  announce(context, server);
  log.open();
  await aborted(stop);
  terminal.note(`${isoInstant(Date.now())}  Shutting down: requests under way are answered first.`);
  await Promise.race([server.drain(), aborted(cancel), late(DRAIN_MS)]);
  await server.close();
  return { data: { url: server.url }, print: ({ note }) => note('The server has stopped.') };
}

/** The log of the server, a JSON text per line. On a terminal it begins when the addresses are there: a log above them would carry them away. */
function logBelow({ terminal, switches }: CommandContext): {
  readonly write: (line: Readonly<Record<string, unknown>>) => void;
  readonly open: () => void;
} {
  const print = (text: string): void => void (switches.has('quiet') || process.stderr.write(text));
  let waiting: string[] | undefined = terminal.mode === 'rich' ? [] : undefined;
  return {
    write: (line) => {
      const text = `${JSON.stringify({ at: isoInstant(Date.now()), ...line })}\n`;
      if (waiting === undefined) print(text);
      else waiting.push(text);
    },
    open: () => {
      for (const text of waiting ?? []) print(text);
      waiting = undefined;
    },
  };
}

/** With TLS a hang-up means new certificate files, as with other servers, and not the end. */
function reloadOnHangUp({ terminal }: CommandContext, server: RunningServer): void {
  process.removeAllListeners('SIGHUP');
  process.on('SIGHUP', () => {
    try {
      server.reload();
      terminal.note(`${isoInstant(Date.now())}  The certificate was read again.`);
    } catch (error) {
      terminal.note(`${isoInstant(Date.now())}  ${(error as Error).message} The one before is used.`);
    }
  });
}

/** Says that requests are answered: every address on a terminal, one line elsewhere. */
function announce({ terminal }: CommandContext, server: RunningServer): void {
  const { url, products, lost } = server;
  if (terminal.mode === 'json')
    terminal.write(
      `${JSON.stringify({
        v: 1,
        event: 'server.listening',
        url,
        products: products.map(({ tenant, name, baseUrl }) => ({ tenant, name, base_url: baseUrl })),
        ...(lost.length === 0
          ? {}
          : { lost: lost.map(({ tenant, name, error }) => ({ tenant, name, code: error.code })) }),
      })}\n`,
    );
  else if (terminal.mode === 'rich') terminal.out(serverAddresses(server).join('\n'));
  else
    terminal.write(
      `Plinth answers at ${url}: ${products.map(({ tenant, name }) => `${tenant}/${name}`).join(', ')}\n`,
    );
}

/** Also where the log is not read. */
function tellLost({ terminal }: CommandContext, { lost }: RunningServer): void {
  for (const { slug, error } of lost) {
    const reported = diagnostic('server.not-served', {
      product: slug,
      reason: error.message.replace(/\.$/, ''),
    });
    terminal.error(`error ${reported.code}: ${reported.message}\n  hint: ${reported.hint}`);
  }
}

function portOf(text: string | undefined): number {
  if (text === undefined) return 8088;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : -1;
  if (port < 0 || port > 65_535)
    throw failure('cli.bad-value', { name: '--port', value: text, expected: 'a number from 0 to 65535' });
  return port;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

const late = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
