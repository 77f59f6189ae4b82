import type { Diagnostic } from '../foundation/diagnostics/diagnostic.ts';
import { unreachable } from '../foundation/unreachable.ts';
import type { Config } from './config.ts';
import type { ModelResult, Run, RunEvent } from './run.ts';

/** Shorter values are words like any other: hiding them would hide the message. */
const LENGTH_MIN = 4;
/** From here on a value is hidden inside of longer words, too. */
const DISTINCT_LENGTH = 8;
/** What `user()` reads; messages name the user on purpose. */
const NO_SECRETS = new Set(['USER', 'USERNAME']);

/** Values that must not be seen in an error: an engine quotes the statement it refuses, and what a macro put into it. */
export interface SecretValues {
  /** The process's environment; whatever is read of it from now on is hidden. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Hides what the configuration says is a secret. */
  noteConfig(config: Config): void;
  /** The text with each value replaced by what it is called. */
  hide(text: string): string;
}

export function secretValues(variables: Readonly<Record<string, string | undefined>>): SecretValues {
  const names = new Map<string, string>();
  const note = (value: unknown, shown: string): void => {
    if (typeof value !== 'string' || value.trim().length < LENGTH_MIN) return;
    for (const each of [value, value.replaceAll("'", "''"), value.trim()]) names.set(each, shown);
  };
  return {
    variables: new Proxy(
      { ...variables },
      {
        get(target, name, receiver) {
          const value: unknown = Reflect.get(target, name, receiver);
          if (typeof name === 'string' && !NO_SECRETS.has(name) && !name.startsWith('PLINTH__'))
            note(value, `{{ env_var('${name}') }}`);
          return value;
        },
      },
    ),
    noteConfig(config) {
      for (const { path, shown } of config.sensitive)
        if (!shown.includes('{{'))
          note(
            path.reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], config),
            shown,
          );
    },
    hide(text) {
      let hidden = text;
      // The longest first: one value may be a part of another.
      for (const [value, shown] of [...names].sort(([a], [b]) => b.length - a.length))
        if (hidden.includes(value))
          hidden =
            value.length >= DISTINCT_LENGTH
              ? hidden.replaceAll(value, () => shown)
              : hidden.replaceAll(wholeWord(value), () => shown);
      return hidden;
    },
  };
}

const wholeWord = (value: string): RegExp =>
  new RegExp(`(?<![A-Za-z0-9_])${value.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&')}(?![A-Za-z0-9_])`, 'g');

type Hide = SecretValues['hide'];

/** The same diagnostic without the values. */
export function hiddenDiagnostic(diagnostic: Diagnostic, hide: Hide): Diagnostic {
  const { message, hint } = diagnostic;
  return { ...diagnostic, message: hide(message), ...(hint === undefined ? {} : { hint: hide(hint) }) };
}

const hiddenResult = (result: ModelResult, hide: Hide): ModelResult =>
  result.error === undefined ? result : { ...result, error: hiddenDiagnostic(result.error, hide) };

/** A run as it may be stored and shown. */
export function hiddenRun(run: Run, hide: Hide): Run {
  return {
    ...run,
    models: run.models.map((result) => hiddenResult(result, hide)),
    ...(run.error === undefined ? {} : { error: hiddenDiagnostic(run.error, hide) }),
  };
}

/** An event as it may be stored and shown. */
export function hiddenEvent(event: RunEvent, hide: Hide): RunEvent {
  switch (event.event) {
    case 'stage.failed':
      return { ...event, error: hiddenDiagnostic(event.error, hide) };
    case 'model.failed':
      return { ...event, result: hiddenResult(event.result, hide) };
    case 'run.finished':
      return { ...event, run: hiddenRun(event.run, hide) };
    case 'warehouse.cleaned':
      return { ...event, kept: event.kept.map(({ name, reason }) => ({ name, reason: hide(reason) })) };
    case 'quarantine.released':
    case 'quarantine.discarded':
      return event.reason === undefined ? event : { ...event, reason: hide(event.reason) };
    case 'run.started':
    case 'run.recovered':
    case 'stage.started':
    case 'stage.finished':
    case 'model.started':
    case 'model.progress':
    case 'model.waiting':
    case 'model.built':
    case 'model.skipped':
    case 'audit.failed':
    case 'environment.promoted':
      return event;
    default:
      return unreachable(event);
  }
}
