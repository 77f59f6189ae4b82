import Fastify from 'fastify';

// The floor of the http bench: the same framework answering the same JSON to everybody, without looking at who asks.
//   BODY='{…}' node bench/floors/bare-fastify.ts   prints its address

const answer: unknown = JSON.parse(process.env['BODY'] ?? '{}');
const server = Fastify();
server.get('/*', async () => answer);
console.log(await server.listen({ host: '127.0.0.1', port: 0 }));
process.once('SIGTERM', () => void server.close().then(() => process.exit(0)));
