import { expect, test } from 'vitest';
import { shareOf } from './state-share.ts';

const RUN = { runMs: 100, processCpuMs: 50, threadCpuMs: 10 };

test('a moment counts once, and only without an engine call beside it as time that state alone takes', () => {
  const share = shareOf(
    [
      { port: 'state', name: 'startRun', start: 0, end: 10 },
      { port: 'engine', name: 'write', start: 10, end: 60 },
      { port: 'state', name: 'finishBackfill', start: 40, end: 50 },
      { port: 'state', name: 'finishBackfill', start: 45, end: 65 },
    ],
    RUN,
  );
  expect(share).toMatchObject({ awaitedMs: 35, aloneMs: 15, aloneShare: 0.15, cpuShare: 0.2 });
  expect(share.calls).toEqual({
    startRun: { count: 1, totalMs: 10 },
    finishBackfill: { count: 2, totalMs: 30 },
  });
});

test('a run without state calls has no share', () => {
  expect(shareOf([{ port: 'engine', name: 'query', start: 1, end: 2 }], RUN)).toMatchObject({
    awaitedMs: 0,
    aloneMs: 0,
    calls: {},
  });
});
