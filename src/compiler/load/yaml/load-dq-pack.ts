import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import type { DqAssertion, DqPack, DqRule, DqUnit } from '../../../domain/dq-pack.ts';
import type { SourceFile } from '../../../domain/source-file.ts';
import type { Diagnostic } from '../../../foundation/diagnostics/diagnostic.ts';
import { type Located, type LocatedText, rangeInText, rangeOf } from '../../../foundation/yaml/located.ts';
import { SchemaReader } from '../../../foundation/yaml/schema.ts';
import type { YamlEntry, YamlMap, YamlNode } from '../../../foundation/yaml/tree.ts';
import { AssertionBuilder, dimensionOf, movedLocated, unitOf } from './dq-assertions.ts';
import type { RuleProblem } from './dq-rule-cursor.ts';
import { dqRuleDiagnostic } from './dq-rule-diagnostic.ts';
import { parseCondition, parseRule } from './dq-rule-parser.ts';
import {
  type DqValue,
  dqSchema,
  type RuleOptions,
  ruleOptions,
  ruleSchema,
  ruleText,
  type WrittenRule,
} from './dq-schema.ts';
import { present } from './present.ts';
import { schemaDiagnostic } from './problem-diagnostics.ts';
import { readContent } from './read-file.ts';

export interface LoadedDqPack {
  readonly dqPack?: DqPack;
  readonly diagnostics: readonly Diagnostic[];
}

/** One quality pack of a file whose tree has been read. Columns and models are checked later (`checkDqPacks`). */
export function loadDqPack(file: SourceFile, root: YamlNode): LoadedDqPack {
  const content = readContent(file, root, dqSchema);
  if (content.value === undefined) return { diagnostics: content.diagnostics };
  const builder = new PackBuilder(file, [...content.diagnostics]);
  return { dqPack: builder.pack(content.value), diagnostics: builder.diagnostics };
}

const NO_OPTIONS: RuleOptions = { $at: { start: 0, end: 0 }, $broken: [] };

class PackBuilder {
  readonly diagnostics: Diagnostic[];
  readonly #file: SourceFile;

  constructor(file: SourceFile, diagnostics: Diagnostic[]) {
    this.#file = file;
    this.diagnostics = diagnostics;
  }

  pack(value: DqValue): DqPack {
    const rules = this.#uniqueNames((value.rules ?? []).flatMap((rule) => this.#rule(rule)));
    const isUnread = ['rules', 'profiles'].some((key) => value.$broken.includes(key));
    if ((value.rules ?? []).length === 0 && value.profiles === undefined && !isUnread)
      this.diagnostics.push(
        diagnostic(
          'dq.no-rules',
          { name: value.name.value || 'of this file' },
          { at: rangeOf(this.#file.path, value.name) },
        ),
      );
    return {
      name: value.name,
      file: this.#file.path,
      model: value.depends_on,
      ...present({
        description: value.description,
        owner: value.owner,
        filter: value.filter,
        schedule: value.schedule,
      }),
      tags: value.tags ?? [],
      profiles: value.profiles ?? [],
      rules,
    };
  }

  #rule(written: WrittenRule): readonly DqRule[] {
    const assertion = this.#assertion(written, false);
    if (assertion === undefined) return [];
    const { built, options } = assertion;
    const unit = unitOf(built);
    const name = options.name?.value ?? written.text.value.trim().replace(/\s+/g, ' ');
    const severity = options.severity === 'warning' || options.severity === 'warn' ? 'warning' : 'error';
    return [
      {
        name,
        text: written.text,
        assertion: built,
        ...present({
          description: options.description,
          owner: options.owner,
          filter: options.filter,
          warnWhen: this.#condition(options.warn, unit),
          failWhen: this.#condition(options.fail, unit),
        }),
        dimension: options.dimension ?? dimensionOf(built),
        severity,
        tags: options.tags ?? [],
        samplesLimit: options.samples_limit ?? 10,
        isEnabled: options.enabled ?? true,
      },
    ];
  }

  #assertion(
    written: WrittenRule,
    isPerColumn: boolean,
  ): { built: DqAssertion; options: RuleOptions } | undefined {
    const { text } = written;
    const parsed = parseRule(text.value, isPerColumn);
    if (!parsed.ok) return this.#problem(text, parsed.problem);
    const rule = parsed.value;
    if (rule.kind === 'for-each-column') {
      const inner = this.#inner(written, rule.restAt);
      const built = inner && this.#assertion(inner, true);
      const patterns = rule.patterns.map((each) => movedLocated(each, text));
      return (
        built && { built: { kind: 'for-each-column', patterns, rule: built.built }, options: built.options }
      );
    }
    if (rule.kind === 'group-by')
      return this.#groupBy(
        written,
        rule.columns.map((each) => movedLocated(each, text)),
      );
    const distances: YamlEntry[] = [];
    const options = this.#options(written.options, rule.kind === 'distribution' ? distances : undefined);
    const builder = new AssertionBuilder(this.#file, text, this.diagnostics);
    const built = builder.build(rule, options, distances);
    return built && { built, options };
  }

  /** The rule behind `for each column (…)`: after the colon in YAML, or in the same text. */
  #inner(written: WrittenRule, restAt: number | undefined): WrittenRule | undefined {
    const { text, options } = written;
    if (restAt !== undefined) {
      const moved = rangeInText(this.#file.path, text, restAt, text.value.length);
      const inner: LocatedText = {
        value: text.value.slice(restAt),
        start: moved.start,
        end: text.end,
        pieces: [0, moved.start],
      };
      return { text: inner, ...(options === undefined ? {} : { options }) };
    }
    const reader = new SchemaReader(this.#file.text);
    const node = options ?? {
      kind: 'scalar' as const,
      value: null,
      text: '',
      style: 'plain' as const,
      start: text.start,
      end: text.end,
    };
    const list = node.kind === 'list' && node.items.length === 1 ? (node.items[0] as YamlNode) : node;
    const inner = ruleSchema().read(list, reader);
    this.diagnostics.push(...reader.problems.map((problem) => schemaDiagnostic(this.#file.path, problem)));
    return inner;
  }

  /** `group by region: {row_count > 10, …}`, a list of rules, or one rule; options stand beside the rules. */
  #groupBy(
    written: WrittenRule,
    columns: readonly Located<string>[],
  ): { built: DqAssertion; options: RuleOptions } | undefined {
    const { options: node } = written;
    const known = new Set([
      'name',
      'description',
      'dimension',
      'severity',
      'owner',
      'tags',
      'filter',
      'warn',
      'fail',
      'samples_limit',
      'enabled',
      'attributes',
    ]);
    const rules: WrittenRule[] = [];
    const own: YamlEntry[] = [];
    const add = (each: YamlNode): void => {
      const reader = new SchemaReader(this.#file.text);
      const rule = ruleSchema().read(each, reader);
      this.diagnostics.push(...reader.problems.map((problem) => schemaDiagnostic(this.#file.path, problem)));
      if (rule !== undefined) rules.push(rule);
    };
    if (node?.kind === 'list') node.items.forEach(add);
    else if (node?.kind === 'map')
      for (const entry of node.entries) {
        if (known.has(entry.key.text)) own.push(entry);
        else if (entry.key.text === 'rules' && entry.value.kind === 'list') entry.value.items.forEach(add);
        else
          rules.push({
            text: ruleText(entry.key, this.#file.text),
            ...(isNothing(entry.value) ? {} : { options: entry.value }),
          });
      }
    else if (node !== undefined && !isNothing(node)) add(node);
    if (rules.length === 0) {
      this.diagnostics.push(
        diagnostic(
          'dq.missing-option',
          { option: 'a rule for each group' },
          {
            at: rangeOf(this.#file.path, written.text),
            hint: 'write for instance group by region: {row_count > 10}',
          },
        ),
      );
      return undefined;
    }
    const built = rules.flatMap((rule) => this.#grouped(rule));
    const options =
      own.length === 0
        ? NO_OPTIONS
        : this.#options(
            { kind: 'map', entries: own, start: written.text.start, end: written.text.end },
            undefined,
          );
    return { built: { kind: 'group-by', columns, rules: built }, options };
  }

  /** A rule of each group: one that is decided from aggregates. */
  #grouped(rule: WrittenRule): readonly DqAssertion[] {
    const built = this.#assertion(rule, false)?.built;
    if (built === undefined) return [];
    if (['metric', 'freshness', 'failed-rows'].includes(built.kind)) return [built];
    this.diagnostics.push(
      diagnostic(
        'dq.bad-rule',
        {
          found: `found ${rule.text.value.trim()}`,
          expected: 'a metric, freshness or failed rows behind group by',
        },
        { at: rangeOf(this.#file.path, rule.text) },
      ),
    );
    return [];
  }

  /** Reads options; keys such as `psi < 0.2` are put aside for the caller. */
  #options(node: YamlNode | undefined, distances: YamlEntry[] | undefined): RuleOptions {
    if (node === undefined || isNothing(node)) return NO_OPTIONS;
    const reader = new SchemaReader(this.#file.text);
    let map = node;
    if (node.kind === 'map' && distances !== undefined) {
      distances.push(...node.entries.filter((entry) => isDistance(entry)));
      const rest: YamlMap = { ...node, entries: node.entries.filter((entry) => !isDistance(entry)) };
      map = rest;
    }
    const options = ruleOptions.read(map, reader);
    this.diagnostics.push(...reader.problems.map((problem) => schemaDiagnostic(this.#file.path, problem)));
    return options ?? NO_OPTIONS;
  }

  #condition(text: LocatedText | undefined, unit: DqUnit) {
    if (text === undefined) return undefined;
    const parsed = parseCondition(text.value, unit);
    return parsed.ok ? parsed.value : this.#problem(text, parsed.problem);
  }

  #problem(text: LocatedText, problem: RuleProblem): undefined {
    this.diagnostics.push(dqRuleDiagnostic(this.#file.path, text, problem));
  }

  #uniqueNames(rules: readonly DqRule[]): readonly DqRule[] {
    const seen = new Set<string>();
    return rules.filter((rule) => {
      if (!seen.has(rule.name)) return seen.add(rule.name);
      this.diagnostics.push(
        diagnostic(
          'dq.duplicate-name',
          { name: rule.name, other: 'this pack' },
          { at: rangeOf(this.#file.path, rule.text) },
        ),
      );
      return false;
    });
  }
}

function isNothing(node: YamlNode): boolean {
  return node.kind === 'scalar' && node.value === null;
}

function isDistance(entry: YamlEntry): boolean {
  return isNothing(entry.value) && /^(psi|ks|chi_square)\b/i.test(entry.key.text);
}
