import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileQuery } from '../src/compiler/semantic/compile-query.ts';
import { readSemanticQuery } from '../src/compiler/semantic/read-query.ts';
import { semanticIndex } from '../src/compiler/semantic/semantic-index.ts';
import {
  factsOf,
  METRIC_KINDS,
  type MetricKind,
  metricFiles,
  metricflowManifest,
  metricName,
} from './generate/metricflow-manifest.ts';
import type { SemanticProjectSize } from './generate/semantic-project.ts';
import { ensurePeer, PEER_ENVIRONMENT } from './peers.ts';
import { load, loadGenerated } from './semantic-compile.ts';

// MetricFlow beside Plinth: the same semantic models, the same metrics, the same questions (a metric of each kind by month and two
// dimensions, one of them two joins away, with a filter and a year), each tool in its own warm process. Every question is asked
// once, so that no tool answers from what it remembers.

const WARM_UPS = 3;
const ASKED = 12;
const TIMEOUT_MS = 240_000;

/** Milliseconds of single questions; those of the processor say the same on a machine that has other work. */
interface QuestionTimes {
  readonly questions: number;
  readonly medianMs: number;
  readonly p95Ms: number;
  readonly cpuMedianMs: number;
}

interface Time {
  readonly wallMs: number;
  readonly cpuMs: number;
}

type Kinds = Partial<Record<MetricKind, QuestionTimes>>;

/** What was measured so far. A peer that cannot be driven has a reason and no figures. */
export interface MetricflowFigures {
  readonly project: SemanticProjectSize & { readonly metrics: number };
  readonly versions: Readonly<Record<string, string>>;
  readonly plinth: Kinds;
  readonly metricflow: Kinds;
  /** Seconds until MetricFlow can be asked: its imports, reading the manifest, its own index. */
  readonly startSeconds: Readonly<Record<string, number>>;
  readonly reason?: string;
  /** Processor time, median of MetricFlow over that of Plinth. */
  readonly ratios: Partial<Record<MetricKind, number>>;
}

interface Question {
  readonly kind: MetricKind;
  readonly ours: unknown;
  readonly theirs: unknown;
}

/** Measures both tools; `tell` gets the figures each time there are more. */
export async function measureMetricflow(
  folder: string,
  size: SemanticProjectSize,
  tell: (figures: MetricflowFigures) => void,
): Promise<MetricflowFigures> {
  const { project: plain } = await loadGenerated(folder, size);
  const facts = factsOf(plain).slice(0, WARM_UPS + ASKED);
  const files = metricFiles(facts);
  mkdirSync(join(folder, 'models', 'metrics'), { recursive: true });
  for (const [name, text] of files) writeFileSync(join(folder, 'models', 'metrics', name), text);
  const { project } = await load(folder);
  // Kinds take turns, so that a run that is cut off has figures of all.
  const questions = facts.flatMap((fact) => METRIC_KINDS.map((kind) => question(kind, fact)));
  const plinth = ours(project, questions);
  let figures: MetricflowFigures = {
    project: { ...size, metrics: files.size },
    versions: {},
    plinth,
    metricflow: {},
    startSeconds: {},
    ratios: {},
  };
  tell(figures);
  const peer = ensurePeer('metricflow');
  if (peer.kind === 'not-available') return { ...figures, reason: peer.reason };
  figures = { ...figures, versions: peer.versions };
  const manifest = join(folder, 'semantic_manifest.json');
  writeFileSync(manifest, JSON.stringify(metricflowManifest(project, facts)));
  const asked = join(folder, 'questions.json');
  writeFileSync(asked, JSON.stringify(questions.map(({ theirs }) => theirs)));
  const times = new Map<MetricKind, Time[]>();
  const seen = (line: Line): void => {
    if (line.kind !== 'question') {
      const startSeconds = { ...figures.startSeconds, [line.kind]: Math.round(line.seconds * 100) / 100 };
      figures = { ...figures, startSeconds };
    } else if (/\bSELECT\b.*\bGROUP BY\b/s.test(line.sql ?? '')) {
      const kind = line.of as MetricKind;
      times.set(kind, [
        ...(times.get(kind) ?? []),
        { wallMs: line.seconds * 1000, cpuMs: (line.cpuSeconds ?? 0) * 1000 },
      ]);
      const metricflow = timesOf(times);
      figures = { ...figures, metricflow, ratios: ratios(plinth, metricflow) };
    } else throw new Error(`MetricFlow wrote no aggregation for ${line.of}: ${line.sql}`);
    tell(figures);
  };
  const reason = await drive(join(peer.bin, 'python'), [manifest, asked], seen);
  return reason === undefined ? figures : { ...figures, reason };
}

interface Line {
  readonly kind: string;
  readonly seconds: number;
  readonly cpuSeconds?: number;
  readonly of?: string;
  readonly sql?: string;
}

/** Runs the driver to its end, or until its time is over; says what went wrong. */
function drive(
  python: string,
  files: readonly string[],
  seen: (line: Line) => void,
): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const child = spawn(python, [join(import.meta.dirname, 'semantic-metricflow.py'), ...files], {
      env: { ...process.env, ...PEER_ENVIRONMENT },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: TIMEOUT_MS,
    });
    let rest = '';
    let problems = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      try {
        for (const line of lines) seen(JSON.parse(line) as Line);
      } catch (error) {
        child.kill();
        reject(error);
      }
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      problems += text;
    });
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (code === 0) resolve(undefined);
      else if (signal !== null)
        resolve(`stopped after ${TIMEOUT_MS / 1000} s; the figures are what it had answered`);
      else resolve(problems.trim().split('\n').at(-1) ?? `exit ${code}`);
    });
  });
}

function question(
  kind: MetricKind,
  { name, near, far, filtered }: ReturnType<typeof factsOf>[number],
): Question {
  const metric = metricName(name, kind);
  return {
    kind,
    ours: {
      measures: [`${metric}.measure`],
      dimensions: [`${metric}.near`, `${metric}.far`],
      filters: [{ member: `${metric}.filtered`, operator: 'equals', values: ['a'] }],
      timeDimensions: [
        { dimension: `${metric}.ts`, granularity: 'month', dateRange: ['2025-01-01', '2025-12-31'] },
      ],
      limit: 100,
    },
    theirs: {
      of: kind,
      metrics: [metric],
      groupBy: ['metric_time__month', `${near}__status`, `${near}__${far}__status`],
      where: [`{{ Dimension('${filtered}__c0') }} = 'a'`],
      from: '2025-01-01',
      to: '2025-12-31',
      limit: 100,
    },
  };
}

function ours(project: Parameters<typeof semanticIndex>[0], questions: readonly Question[]): Kinds {
  const index = semanticIndex(project);
  const times = new Map<MetricKind, Time[]>();
  for (const { kind, ours: data } of questions) {
    const began = performance.now();
    const worked = process.cpuUsage();
    const read = readSemanticQuery(data);
    const result = read.ok
      ? compileQuery(index, read.query, {
          dialect: 'duckdb',
          caller: { groups: [], isUnrestricted: true },
          now: Date.UTC(2026, 0, 2),
          relationOf: (model) => ({ schema: 'raw', name: model.slice(model.indexOf('.') + 1) }),
        })
      : read;
    const { user, system } = process.cpuUsage(worked);
    const time = { wallMs: performance.now() - began, cpuMs: (user + system) / 1000 };
    times.set(kind, [...(times.get(kind) ?? []), time]);
    if (!result.ok) throw new Error(`${JSON.stringify(data)}: ${result.diagnostics[0]?.message}`);
  }
  return timesOf(times);
}

/** Without the first of each kind, which meet cold code. */
function timesOf(times: ReadonlyMap<MetricKind, readonly Time[]>): Kinds {
  return Object.fromEntries(
    [...times].flatMap(([kind, all]) => {
      const warm = all.slice(WARM_UPS);
      if (warm.length === 0) return [];
      const at = (share: number, all: readonly number[]): number =>
        Math.round((all.toSorted((a, b) => a - b)[Math.ceil(all.length * share) - 1] as number) * 1000) /
        1000;
      const wall = warm.map(({ wallMs }) => wallMs);
      const cpu = warm.map(({ cpuMs }) => cpuMs);
      const found: QuestionTimes = {
        questions: warm.length,
        medianMs: at(0.5, wall),
        p95Ms: at(0.95, wall),
        cpuMedianMs: at(0.5, cpu),
      };
      return [[kind, found]];
    }),
  );
}

function ratios(plinth: Kinds, metricflow: Kinds): Partial<Record<MetricKind, number>> {
  return Object.fromEntries(
    METRIC_KINDS.flatMap((kind) => {
      const [own, other] = [plinth[kind]?.cpuMedianMs, metricflow[kind]?.cpuMedianMs];
      return own === undefined || other === undefined ? [] : [[kind, Math.round((other / own) * 10) / 10]];
    }),
  );
}
