import { hasErrors } from '../../foundation/diagnostics/diagnostic.ts';
import { environmentOf, openWorld } from '../../operations/open-world.ts';
import { type CheckedClaim, claimDiagnostic, validateData } from '../../operations/project/validate-data.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { loadForCommand } from '../load-for-command.ts';
import { refusal } from '../refusal.ts';
import { counted, grouped, renderTable } from '../render/table.ts';
import type { Terminal } from '../terminal.ts';
import { badValue } from '../times.ts';

export async function run(context: CommandContext): Promise<CommandAnswer> {
  const env = context.values.get('env');
  const isOfData = context.switches.has('data');
  if (env !== undefined && !isOfData) throw badValue('env', env, '--data beside it');
  const opening = isOfData ? openWorld(await context.workspace()) : undefined;
  await opening?.catch(() => undefined);
  const loaded = await loadForCommand(context);
  const { project, diagnostics, sources } = loaded;
  const counts = {
    models: project.models.length,
    semantic_models: project.semanticModels.length,
    metrics: project.metrics.length,
    tests: project.tests.length,
  };
  if (opening === undefined)
    return {
      data: counts,
      diagnostics,
      sources,
      print: (terminal) =>
        terminal.note(
          `${counted(counts.models, 'model')}, ${counted(counts.semantic_models, 'semantic model')}, ${counted(counts.metrics, 'metric')}, ${counted(counts.tests, 'test')}: ${hasErrors(diagnostics) ? 'wrong' : 'valid'}`,
        ),
    };
  if (hasErrors(diagnostics)) return refusal(diagnostics, sources);
  const world = await opening;
  const environment = environmentOf(world.config, env);
  const { cancel } = context.interruption();
  const checked = await validateData(world, project, { environment, signal: cancel });
  const found = checked.map(claimDiagnostic).filter((each) => each !== undefined);
  return {
    ...(found.length > 0 ? { exitCode: EXIT.workFailed } : {}),
    data: { ...counts, environment, checks: checked.map(claimJson) },
    diagnostics: [...diagnostics, ...found],
    sources,
    print: (terminal) => {
      if (checked.length > 0) terminal.out(table(terminal, checked));
      terminal.note(
        `${counted(checked.length, 'check')} on ${environment}: ${counted(found.length, 'problem')}`,
      );
    },
  };
}

function claimJson({ claim, rows, ms, why }: CheckedClaim): Readonly<Record<string, unknown>> {
  const { kind, model } = claim;
  return {
    check: kind,
    semantic_model: model,
    of: subject(claim),
    rows: rows ?? null,
    ms: ms === undefined ? null : Math.round(ms),
    not_checked: why ?? null,
  };
}

const WORDS = {
  'key-not-null': 'key has no NULL',
  'key-unique': 'key is unique',
  'to-one': 'leads to one row',
  'time-not-null': 'time has no NULL',
} as const;

function subject(claim: CheckedClaim['claim']): string {
  switch (claim.kind) {
    case 'key-not-null':
      return claim.column;
    case 'key-unique':
      return claim.columns.join(', ');
    case 'to-one':
      return `${claim.join} to ${claim.to}`;
    case 'time-not-null':
      return claim.dimension;
  }
}

function table(terminal: Terminal, checked: readonly CheckedClaim[]): string {
  const verdict = ({ rows, why }: CheckedClaim): string =>
    why !== undefined
      ? terminal.style('yellow', `not checked: ${why}`)
      : rows === 0
        ? terminal.style('green', 'ok')
        : terminal.style('red', `${grouped(rows ?? 0)} wrong`);
  return renderTable(
    terminal,
    [{ title: 'semantic model' }, { title: 'check' }, { title: 'of', isElastic: true }, { title: 'rows' }],
    checked.map((each) => [each.claim.model, WORDS[each.claim.kind], subject(each.claim), verdict(each)]),
  );
}
