import Fastify from 'fastify';

// The floor of the http bench: the same framework answering the same JSON to everybody, without looking at who asks.
//   BODIES='{"/path": "{…}"}' node bench/floors/bare-fastify.ts   prints its address

const bodies = JSON.parse(process.env['BODIES'] ?? '{}') as Readonly<Record<string, string>>;
const server = Fastify();
for (const [path, body] of Object.entries(bodies)) {
  const answer: unknown = JSON.parse(body);
  server.get(path, async () => answer);
}
console.log(await server.listen({ host: '127.0.0.1', port: 0 }));
process.once('SIGTERM', () => void server.close().then(() => process.exit(0)));
