import type { Defect, Mechanism } from './defect.ts';

/** One world that has what the defect is about; the whole short form would find it too, later. */
const inWorld = (world: number): Mechanism => ({
  file: 'tests/access/matrix.test.ts',
  variables: { PLINTH_MATRIX_WORLD: String(world) },
});

const REGISTRY: Mechanism = { file: 'tests/access/registry.test.ts' };

const PROTECTED = 'src/compiler/semantic/access/protected-data.ts';
const WHOLE = 'add(whole([...closed, ...flow.above(...closed), ...flow.below(...closed)]));';
const CARRIERS = "add(flow.carriers(flow.origins(whole(closed), 'row')));";

/** Section 1 of issue 13: who sees what. */
export const ACCESS_DEFECTS: readonly Defect[] = [
  {
    name: 'models that feed a protected one are open',
    seen: 'Somebody whose rows are filtered reads all of them in the model below.',
    mechanism: inWorld(16),
    edits: [
      { file: PROTECTED, find: WHOLE, replace: 'add(whole([...closed, ...flow.below(...closed)]));' },
      { file: PROTECTED, find: CARRIERS, replace: 'add(flow.carriers(whole(closed)));' },
    ],
  },
  {
    name: 'models that derive from a protected one are open',
    seen: 'Somebody whose rows are filtered reads all of them in a view of the model.',
    mechanism: inWorld(16),
    edits: [
      { file: PROTECTED, find: WHOLE, replace: 'add(whole([...closed, ...flow.above(...closed)]));' },
      { file: PROTECTED, find: CARRIERS, replace: "add(flow.origins(whole(closed), 'row'));" },
    ],
  },
  {
    name: 'models beside a protected one are open',
    seen: 'Somebody whose rows are filtered reads the same columns in another model over the same source.',
    mechanism: inWorld(16),
    edits: [{ file: PROTECTED, find: CARRIERS, replace: '' }],
  },
  {
    name: 'a mask holds in its model only',
    seen: 'A masked column is read in clear in the model below, and in every model made from it.',
    mechanism: inWorld(20),
    edits: [
      {
        file: PROTECTED,
        find: "if (masked.size > 0) add(flow.carriers(flow.origins(masked, 'value')));",
        replace: '',
      },
    ],
  },
  {
    name: 'a condition carries nothing',
    seen: 'A model whose WHERE reads a masked column is open.',
    mechanism: inWorld(17),
    edits: [
      {
        file: 'src/compiler/semantic/access/column-flow.ts',
        find: 'if (isDecided || [...blurred]',
        replace: 'if ([...blurred]',
      },
    ],
  },
  {
    name: 'a caller chooses the environment',
    seen: 'A consumer asks an environment that was planned before there were policies.',
    mechanism: inWorld(18),
    edits: [
      {
        file: 'src/operations/access/callers.ts',
        find: "if (role !== undefined && includesRole(role, 'editor')) return true;",
        replace: 'if (role !== undefined) return true;',
      },
    ],
  },
  {
    name: 'the policies of the default environment do not hold elsewhere',
    seen: 'An editor sees everything in an environment that was planned before there were policies.',
    mechanism: inWorld(18),
    edits: [
      {
        file: 'src/operations/ask/environment-policies.ts',
        find: 'const all = home === undefined ? [asked] : [asked, home];',
        replace: 'home = undefined;\n  const all = [asked];',
      },
    ],
  },
  {
    name: 'a rollback takes policies back without a word',
    seen: 'plinth rollback --yes shows everybody everything.',
    mechanism: inWorld(18),
    edits: [
      {
        file: 'src/operations/change/apply.ts',
        find: 'if (!allowsWiderAccess) refuseWider(plan, await widerAccessOf(world, plan));',
        replace: '',
      },
      {
        file: 'src/cli/commands/apply.ts',
        find: "if (!switches.has('allow-wider-access')) refuseWider(plan, plan.widerAccess ?? []);",
        replace: '',
      },
    ],
  },
  {
    name: 'editors and owners skip policies',
    seen: 'An editor of a group whose rows are filtered reads the model as a table.',
    mechanism: inWorld(18),
    edits: [
      {
        file: 'src/operations/ask/readable-models.ts',
        find: 'if (caller.isUnrestricted) return OPEN_TABLES;',
        replace: "if (caller.isUnrestricted || permits(asker, 'activity:run', product)) return OPEN_TABLES;",
      },
    ],
  },
  {
    name: 'two policies give more than either',
    seen: 'A member of both groups sees amounts in the rows of the group that masks them.',
    mechanism: inWorld(18),
    edits: [
      {
        file: 'src/compiler/semantic/policies.ts',
        find: 'if (clearing.some(({ filters }) => filters.length === 0)) continue;',
        replace: 'if (clearing.length > 0) continue;',
      },
    ],
  },
  {
    name: 'policies that cannot be read count as none',
    seen: 'When the record of an environment is damaged everybody sees everything.',
    mechanism: inWorld(18),
    edits: [
      {
        file: 'src/operations/applied-semantics.ts',
        find: "if (found === undefined) return 'unreadable';",
        replace: 'if (found === undefined) return { semanticModels: [], metrics: [] };',
      },
    ],
  },
  {
    name: 'members that are not public answer by name',
    seen: 'public: false hides a member from lists and stars only.',
    mechanism: inWorld(18),
    edits: [
      {
        file: 'src/compiler/semantic/access/visibility.ts',
        find: 'return facts?.isPublic !== false && !this.#isComputedFromHidden(model, member);',
        replace: 'return facts !== null && !this.#isComputedFromHidden(model, member);',
      },
    ],
  },
  {
    name: 'names that are hidden answer otherwise than names of nothing',
    seen: 'A caller without access learns which semantic models there are.',
    mechanism: inWorld(18),
    edits: [
      {
        file: 'src/compiler/semantic/member-lookup.ts',
        find: 'if (visibility?.hidesModels === true) return noAccess(name);',
        replace:
          'if (visibility !== undefined && this.#index.models.has(name.toLowerCase())) return noAccess(name);',
      },
    ],
  },
  {
    name: 'a result is shown to whom it was made for, for ever',
    seen: 'Who has left a group fetches the result of a question from before.',
    mechanism: inWorld(18),
    edits: [
      {
        file: 'src/operations/ask/statement-result.ts',
        find: 'await checkStatementAccess(product, asker, statement);',
        replace: '',
      },
    ],
  },
  {
    name: 'words of statements quote rows to whoever may see statements of others',
    seen: 'An owner whose rows are filtered reads cells in the errors of the administrator.',
    mechanism: inWorld(18),
    edits: [
      {
        file: 'src/operations/ask/statement-access.ts',
        find: 'const shown = withoutWords(statement);',
        replace: 'const shown = statement;',
      },
    ],
  },
  {
    name: 'failing rows are shown to everybody',
    seen: 'A caller whose rows are filtered finds them in the run whose audit failed.',
    mechanism: inWorld(18),
    edits: [
      {
        file: 'src/domain/quoted-values.ts',
        find: 'audits: audits.map(({ sample: _, ...audit }): AuditResult => audit),',
        replace: 'audits,',
      },
    ],
  },
  {
    name: 'words of the errors of a run quote rows',
    seen: 'An editor whose rows are filtered reads cells in the errors of a plan that failed.',
    mechanism: inWorld(18),
    edits: [
      {
        file: 'src/domain/quoted-values.ts',
        find: '...(error === undefined ? {} : { error: withoutWords(error) }),',
        replace: '...(error === undefined ? {} : { error }),',
      },
    ],
  },
  {
    name: 'events quote rows',
    seen: 'A caller whose rows are filtered reads cells in the events of a plan that failed.',
    mechanism: inWorld(18),
    edits: [
      {
        file: 'src/domain/visible-activity.ts',
        find: 'withErrors(shown, mayKnow ? apiWords : withoutWords, mayKnow)',
        replace: 'withErrors(shown, apiWords, mayKnow)',
      },
    ],
  },
  {
    name: 'a run is quoted by what its environment shows',
    seen: 'The audit of a plan that failed shows an editor rows that no policy leaves to them.',
    mechanism: inWorld(29),
    edits: [
      {
        file: 'src/operations/catalog/quoting.ts',
        find: 'ran === undefined ? NOTHING : ran.isNow ? now : wordsOfRan(caller, protection, ran)',
        replace: 'now',
      },
    ],
  },
  {
    name: 'a cancelled run is shown as it is stored',
    seen: 'An editor whose rows are filtered cancels a run that has failed and reads cells in the answer.',
    mechanism: inWorld(18),
    edits: [
      {
        file: 'src/server/http/routes/work-routes.ts',
        find: '...runJson(view.run(run))',
        replace: '...(view.run(run) && runJson(run))',
      },
    ],
  },
  {
    name: 'usage names rollups',
    seen: 'The page of a product names a semantic model that is hidden from the caller.',
    mechanism: inWorld(35),
    edits: [
      {
        file: 'src/server/http/answers/metadata-body.ts',
        find: 'statements.models.filter(({ model }) => known.has(model))',
        replace: 'statements.models.filter(({ model }) => known.size >= 0 && model)',
      },
    ],
  },
  {
    name: 'a repeated request is answered as the first time',
    seen: 'Who may not ask any more gets the rows again under the same Idempotency-Key.',
    mechanism: inWorld(18),
    edits: [
      {
        file: 'src/server/http/answers/idempotency.ts',
        find: 'if (!(await mayRepeat(answer))) return undefined;',
        replace: 'await Promise.resolve(mayRepeat);',
      },
    ],
  },
  {
    name: 'a refusal outlives what refused',
    seen: 'After a rollback by the command line what is open again stays refused at the server.',
    mechanism: inWorld(16),
    edits: [
      {
        file: 'src/operations/ask/submit-statement.ts',
        find: 'if (attempt === MOVES_MAX || (await isCurrentContext(product, context))) {',
        replace: 'if (attempt <= MOVES_MAX) {',
      },
    ],
  },
  {
    name: 'names that are hidden are suggested',
    seen: 'A member that is not public is named as what was meant.',
    mechanism: inWorld(18),
    edits: [
      {
        file: 'src/compiler/semantic/member-lookup.ts',
        find: 'this.#hint(second, () => [...members.values()].map(({ name }) => name));',
        replace: 'this.#hint(second, () => [...named.model.members.values()].map(({ name }) => name));',
      },
    ],
  },
  {
    name: 'semantic models that are hidden are suggested',
    seen: 'pay.am was answered with "did you mean pay", to a caller without access to it.',
    mechanism: inWorld(19),
    edits: [
      {
        file: 'src/compiler/semantic/member-lookup.ts',
        find: 'if (visibility?.hidesModels === true) return noAccess(name);\n    const names = (): readonly string[] =>\n      visibility?.names() ??',
        replace:
          'if (visibility?.isHidden(namedModel(this.#index, name)?.model ?? ({ name: "" } as never)) === true) return noAccess(name);\n    const names = (): readonly string[] =>',
      },
    ],
  },
  {
    name: 'functions are checked before names',
    seen: 'MEASURE over a hidden semantic model is refused for the function, and not for the name.',
    mechanism: inWorld(15),
    edits: [
      {
        file: 'src/operations/ask/compile-question.ts',
        find: '    refuseHidden(asking, bareTables(sql));\n    return',
        replace: '    return',
      },
    ],
  },
  {
    name: 'a group at the command line reads every model',
    seen: 'plinth query --as-group shows what a server refuses to the group.',
    mechanism: inWorld(18),
    edits: [
      {
        file: 'src/operations/ask/compile-own.ts',
        find: '      caller,\n      mayReadModels: true,',
        replace: '      caller: { groups: [], isUnrestricted: true },\n      mayReadModels: true,',
      },
    ],
  },
  {
    name: 'an exemption is not honoured',
    seen: 'Auditors are refused although access exempts them.',
    mechanism: inWorld(18),
    edits: [
      {
        file: 'src/operations/access/callers.ts',
        find: 'isUnrestricted: given.some(({ isExempt }) => isExempt),',
        replace: 'isUnrestricted: false,',
      },
    ],
  },
  {
    name: 'whoever is restricted reads no model at all',
    seen: 'A mask on one column closes every model of the product.',
    mechanism: inWorld(17),
    edits: [
      {
        file: PROTECTED,
        find: "return own.get(model) ?? reached.get(model) ?? 'none';",
        replace: "return own.get(model) ?? (reached.size > 0 ? 'all' : 'none');",
      },
    ],
  },
  {
    name: 'an operation that no cell asks',
    seen: 'A new address carries rows, and nothing asks who may see them.',
    mechanism: REGISTRY,
    edits: [
      {
        file: 'src/server/http/routes/activity-routes.ts',
        find: "operationId: 'listRuns',",
        replace: "operationId: 'listRunsAgain',",
      },
    ],
  },
  {
    name: 'a command that no cell runs',
    seen: 'A new command carries rows, and nothing asks who may see them.',
    mechanism: REGISTRY,
    edits: [{ file: 'src/cli/command-table.ts', find: "name: 'doctor',", replace: "name: 'surgeon'," }],
  },
  {
    name: 'a method of the client that no cell calls',
    seen: 'A new method carries rows, and nothing asks who may see them.',
    mechanism: REGISTRY,
    edits: [
      {
        file: 'src/client/resource-groups.ts',
        find: 'async cancelRun(id: string)',
        replace: 'async stopRun(id: string)',
      },
    ],
  },
  {
    name: 'an argument of GraphQL that no cell has',
    seen: 'A new argument takes names, and nothing asks whether hidden ones answer alike.',
    mechanism: REGISTRY,
    edits: [
      {
        file: 'src/server/graphql/root-question.ts',
        find: '  joinHints: {',
        replace: '  hints: {',
      },
    ],
  },
];
