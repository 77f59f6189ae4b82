// Runs on any Node, however old: it must be able to say that the Node is too old.
import { existsSync, readFileSync } from 'node:fs';
import * as nodeModule from 'node:module';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const words = process.argv.slice(2);
if (words.includes('--version') || words.includes('-V')) {
  // Answered here, so that asking for the version costs no more than starting Node.
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  if (words.includes('--json')) {
    const duckdb = versionOf('@duckdb/node-api');
    const data = { version, node: process.versions.node, ...(duckdb === undefined ? {} : { duckdb }) };
    process.stdout.write(
      `${JSON.stringify({ schema: 'plinth.version/1', ok: true, data, diagnostics: [] })}\n`,
    );
  } else process.stdout.write(`${version}\n`);
} else if (major < 22 || (major === 22 && minor < 18) || major === 23) {
  process.stderr.write(
    `plinth: Node 22.18, or 24 or newer, is needed, this is ${process.versions.node}. Next step: npm install node@24 beside plinth.\n`,
  );
  process.exitCode = 2;
} else {
  nodeModule.enableCompileCache?.();
  // Chunks lie in one folder and import one another by name. Node looks for each again, which takes a tenth of the time of a small command.
  const chunks = new Map();
  nodeModule.registerHooks?.({
    resolve(name, context, next) {
      if (!name.startsWith('./chunk-')) return next(name, context);
      if (!chunks.has(name))
        chunks.set(name, {
          url: new URL(name, context.parentURL).href,
          format: 'module',
          shortCircuit: true,
        });
      return chunks.get(name);
    },
  });
  // Started without --disable-sigusr1: the signal would open a debugger's port, a listener takes it.
  process.on('SIGUSR1', () => undefined);
  // The compiled program when it has been built, else the TypeScript source, which Node runs directly.
  const built = new URL('../dist/main.js', import.meta.url);
  const { main } = await import(existsSync(built) ? built.href : new URL('../src/main.ts', import.meta.url).href);
  await main(process.argv.slice(2));
}

/** The version of an installed package; drivers are optional. */
function versionOf(name) {
  try {
    const path = nodeModule.createRequire(import.meta.url).resolve(`${name}/package.json`);
    return JSON.parse(readFileSync(path, 'utf8')).version;
  } catch {
    return undefined;
  }
}
