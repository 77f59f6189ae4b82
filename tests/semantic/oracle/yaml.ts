/* A world as the files of a project and as tables: the only way it gets to the compiler. */
import { formSql } from './form.ts';
import { literalSql } from './value.ts';
import type {
  Span,
  World,
  WorldDimension,
  WorldJoin,
  WorldMeasure,
  WorldMetric,
  WorldModel,
  WorldRollup,
} from './world.ts';

const q = (text: string): string => JSON.stringify(text);
const span = ({ count, unit }: Span): string => `${count} ${unit}${count === 1 ? '' : 's'}`;

export const tableName = (model: WorldModel): string => `o.t_${model.name}`;

export function modelYaml(model: WorldModel): string {
  const lines = [
    'kind: semantic',
    `name: ${model.name}`,
    `depends_on: ${tableName(model)}`,
    ...(model.key.length > 0 ? [`primary_key: [${model.key.join(', ')}]`] : []),
    'dimensions:',
    ...model.dimensions.map((each) => `  - ${dimensionYaml(each)}`),
  ];
  if (model.measures.length > 0)
    lines.push('measures:', ...model.measures.map((each) => `  - ${measureYaml(each)}`));
  if (model.segments.length > 0)
    lines.push(
      'segments:',
      ...model.segments.map(
        ({ name, condition }) => `  - {name: ${name}, expression: ${q(formSql(condition))}}`,
      ),
    );
  if (model.joins.length > 0)
    lines.push('joins:', ...model.joins.map((each) => `  - ${joinYaml(model.name, each)}`));
  if (model.policies !== undefined && model.policies.length > 0)
    lines.push(
      'policies:',
      ...model.policies.map(({ group, filters, mask }) => {
        const parts = filters.map(
          ({ member, value }) => `{member: ${member}, operator: equals, values: [${JSON.stringify(value)}]}`,
        );
        const filter = parts.length === 0 ? '' : `, filter: [${parts.join(', ')}]`;
        const masks = mask.length === 0 ? '' : `, mask: [${mask.join(', ')}]`;
        return `  - {group: ${q(group)}${filter}${masks}}`;
      }),
    );
  if (model.rollups !== undefined && model.rollups.length > 0)
    lines.push('rollups:', ...model.rollups.map((each) => `  - ${rollupYaml(each)}`));
  return `${lines.join('\n')}\n`;
}

function rollupYaml({ name, measures, dimensions, segments, time }: WorldRollup): string {
  const parts = [
    `name: ${name}`,
    `measures: [${measures.join(', ')}]`,
    `dimensions: [${dimensions.join(', ')}]`,
  ];
  if (segments.length > 0) parts.push(`segments: [${segments.join(', ')}]`);
  if (time !== undefined) parts.push(`time_dimension: ${time.name}`, `granularity: ${time.granularity}`);
  return `{${parts.join(', ')}}`;
}

function dimensionYaml({ name, type, expression, granularities = [], mask }: WorldDimension): string {
  const parts = [`name: ${name}`];
  if (expression !== undefined) {
    const declared = {
      int: 'number',
      decimal: 'number',
      text: 'string',
      boolean: 'boolean',
      date: 'time',
      timestamp: 'time',
    };
    parts.push(`expression: ${q(formSql(expression))}`, `type: ${declared[type]}`);
  }
  if (mask !== undefined) parts.push(`mask_expression: ${q(formSql(mask))}`);
  if (granularities.length > 0)
    parts.push(
      `granularities: [${granularities
        .map(({ name: word, count, unit, offset, origin }) => {
          const more = [
            ...(offset === undefined ? [] : [`offset: ${span(offset)}`]),
            ...(origin === undefined ? [] : [`origin: ${q(origin)}`]),
          ];
          return `{${[`name: ${word}`, `interval: ${span({ count, unit })}`, ...more].join(', ')}}`;
        })
        .join(', ')}]`,
    );
  return parts.length === 1 ? name : `{${parts.join(', ')}}`;
}

function measureYaml(measure: WorldMeasure): string {
  const { name, type, expression, filters, p, rolling, shift, stock } = measure;
  const parts = [`name: ${name}`, `type: ${type}`];
  if (expression !== undefined) parts.push(`expression: ${q(formSql(expression))}`);
  if (filters.length > 0) parts.push(`filters: [${filters.map((each) => q(formSql(each))).join(', ')}]`);
  if (p !== undefined) parts.push(`p: ${p}`);
  if (rolling?.kind === 'to-date') parts.push(`rolling_window: {to_date: ${rolling.unit}}`);
  if (rolling?.kind === 'trailing') {
    const { trailing, leading, offset } = rolling;
    const words = [
      ...(trailing === undefined
        ? []
        : [`trailing: ${trailing === 'unbounded' ? trailing : span(trailing)}`]),
      ...(leading === undefined ? [] : [`leading: ${span(leading)}`]),
      ...(offset === 'end' ? [] : ['offset: start']),
    ];
    parts.push(`rolling_window: {${words.join(', ')}}`);
  }
  if (shift !== undefined) parts.push(`time_shift: {by: ${span(shift.by)}, direction: ${shift.direction}}`);
  if (stock !== undefined)
    parts.push(
      `behavior: {type: stock, time_dimension: ${stock.time}, period_treatment: ${stock.treatment}, per: [${stock.per.join(', ')}]}`,
    );
  return `{${parts.join(', ')}}`;
}

function joinYaml(owner: string, { name, model, type, on, through }: WorldJoin): string {
  const condition = on.map(([own, other]) => `{${owner}.${own}} = {${name}.${other}}`).join(' AND ');
  const parts = [`name: ${name}`, `model: ${model}`, `type: ${type}`];
  if (condition !== '') parts.push(`on: ${q(condition)}`);
  if (through !== undefined) parts.push(`through: ${through}`);
  return `{${parts.join(', ')}}`;
}

export function metricYaml(metric: WorldMetric): string {
  const { name, kind, model, ts, window, toDate, segment, filter, dimensions, conversion } = metric;
  const [first = '', second = ''] = metric.measures.map((each) => `${each.model ?? model}.${each.name}`);
  const lines = [
    'kind: metric',
    `name: ${name}`,
    `type: ${kind}`,
    `ts: ${model}.${ts}`,
    'granularity: month',
  ];
  if (kind === 'ratio') lines.push(`numerator: ${first}`, `denominator: ${second}`);
  else if (kind === 'derived') lines.push('expression: "{a} - {b}"', `inputs: {a: ${first}, b: ${second}}`);
  else if (conversion === undefined) lines.push(`measure: ${first}`);
  else
    lines.push(
      `base: ${first}`,
      `conversion: ${conversion.model}.${conversion.measure}`,
      `entity: ${conversion.entity.model}.${conversion.entity.member}`,
    );
  if (window !== undefined) lines.push(`window: ${span(window)}`);
  if (toDate !== undefined) lines.push(`to_date: ${toDate}`);
  if (segment !== undefined) lines.push(`segments: [${model}.${segment}]`);
  if (filter !== undefined) lines.push(`filters: [${q(formSql(filter))}]`);
  const columns = dimensions.map((each) => `{name: ${each.name}, ref: ${each.model}.${each.member}}`);
  lines.push(`dimensions: [${columns.join(', ')}]`);
  return `${lines.join('\n')}\n`;
}

export const SQL_TYPES = {
  int: 'BIGINT',
  decimal: 'DECIMAL(10,2)',
  text: 'VARCHAR',
  boolean: 'BOOLEAN',
  date: 'DATE',
  timestamp: 'TIMESTAMP',
} as const;

/** Statements that make the tables anew. */
export function tablesSql(world: World): readonly string[] {
  return [
    'DROP SCHEMA IF EXISTS o CASCADE',
    'CREATE SCHEMA o',
    ...world.models.flatMap((model) => {
      const columns = model.columns.map(({ name, type }) => `"${name}" ${SQL_TYPES[type]}`).join(', ');
      const rows = model.rows.map(
        (row) => `(${model.columns.map(({ name, type }) => literalSql(row[name] ?? null, type)).join(', ')})`,
      );
      const create = `CREATE TABLE ${tableName(model)} (${columns})`;
      return rows.length === 0
        ? [create]
        : [create, `INSERT INTO ${tableName(model)} VALUES ${rows.join(', ')}`];
    }),
  ];
}
