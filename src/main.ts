/** The roof: the one place where the command line and the server meet. */
import { main as commandLine } from './cli/main.ts';

/** Runs one command line; the server is loaded when it is asked for. */
export function main(argv: readonly string[]): Promise<void> {
  return commandLine(argv, {
    startServer: async (options) => (await import('./server/start-server.ts')).startServer(options),
  });
}
