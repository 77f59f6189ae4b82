import type { Command } from './command.ts';

/** Commands of the server and of who may use it. */
export const SERVER_COMMANDS: readonly Command[] = [
  {
    name: 'serve',
    summary: 'answer over HTTP: the platform and the data products of one or more folders',
    details: [
      'Without authentication (the default) it listens on this machine only and every request is that of the local administrator.',
      'What is due is run meanwhile, as by plinth worker. SIGTERM ends it when what was asked is answered; a second one at once.',
    ],
    arguments: [
      {
        name: 'folders',
        summary: 'project folders; this one by default',
        isMany: true,
        completion: 'folders',
      },
    ],
    options: [
      { name: 'host', value: 'ADDRESS', summary: 'address to listen on (default: 127.0.0.1)' },
      { name: 'port', value: 'N', summary: 'port to listen on (default: 8088); 0 takes a free one' },
      {
        name: 'auth',
        value: 'MODE',
        choices: ['disabled', 'required'],
        summary: 'whether requests need a credential (default: disabled)',
      },
      { name: 'tls-cert', value: 'FILE', summary: 'certificate, as PEM', completion: 'files' },
      { name: 'tls-key', value: 'FILE', summary: 'its private key, as PEM', completion: 'files' },
      { name: 'no-scheduler', summary: 'run nothing' },
      { name: 'force', summary: 'listen on any address though authentication is disabled' },
    ],
    examples: [
      { line: 'plinth serve', does: 'this project at http://127.0.0.1:8088' },
      {
        line: 'plinth serve shop warehouse --port 0 --json',
        does: 'two projects, on a free port, for programs',
      },
      {
        line: 'plinth serve --auth required --host 0.0.0.0 --tls-cert c.pem --tls-key k.pem',
        does: 'for others',
      },
    ],
    load: () => import('./commands/serve.ts'),
  },
];
