import type { Catalog } from '../../foundation/diagnostics/catalog.ts';

export const semanticDiagnostics = {
  'semantic.duplicate-name': {
    severity: 'error',
    message: '{name} is already defined in {other}.',
    hint: 'give one of them another name',
    explain: 'Semantic models and metrics are tables to those who ask, so they share one set of names.',
  },
  'semantic.duplicate-member': {
    severity: 'error',
    message: '{name} is already {what} of {model}.',
    hint: 'give one of them another name',
    explain:
      'Dimensions, measures and segments of a semantic model are columns of one table, so their names differ. `count` is always there and means the number of rows.',
  },
  'semantic.unknown-model': {
    severity: 'error',
    message: '{name} is not a model of this project.',
    explain: 'A semantic model describes exactly one model. It names it with `depends_on` (schema.model).',
  },
  'semantic.unknown-semantic-model': {
    severity: 'error',
    message: '{name} is not a semantic model.',
    explain:
      'Joins, references and metrics name semantic models by the `name` in their files, not the models behind them.',
  },
  'semantic.unknown-column': {
    severity: 'error',
    message: 'The model {model} has no column {column}.',
    explain:
      'A dimension without an expression is a column of the model; keys and expressions use its columns. The columns are those that the query of the model returns.',
  },
  'semantic.unknown-member': {
    severity: 'error',
    message: '{member} is neither a measure, a dimension nor a segment of {model}.',
    explain:
      'References are written {member} for members and columns of the same semantic model, and {model.member} for others.',
  },
  'semantic.wrong-member': {
    severity: 'error',
    message: '{name} is {found} of {model}; expected {expected}.',
    explain: 'The member exists but is of another sort than can be used in this place.',
  },
  'semantic.bad-expression': {
    severity: 'error',
    message: 'This SQL cannot be read: {detail}.',
    explain:
      'Expressions of semantic models are SQL expressions of the dialect of the model behind them, with references in braces.',
  },
  'semantic.bad-reference': {
    severity: 'error',
    message:
      '{reference} is not a reference; expected a name in braces, or a model and a name with a dot between.',
    explain:
      'References in expressions are written {member} or {model.member}. A brace that is not meant so belongs into a string.',
  },
  'semantic.unknown-metric': {
    severity: 'error',
    message: 'There is no metric {name}.',
    explain:
      'A question names metrics by their names, and measures as semantic_model.measure. plinth metrics lists the metrics.',
  },
  'semantic.missing-expression': {
    severity: 'error',
    message: 'The measure {name} of type {type} needs an expression.',
    explain:
      'Only `count` can do without an expression. Everything else says what is aggregated, for instance {amount}.',
  },
  'semantic.type-mismatch': {
    severity: 'error',
    message: '{type} of {expression} is not possible, because it is {found}; expected {expected}.',
    explain:
      'Sums, averages, medians and percentiles are taken of numbers. The type is that of the column in the model.',
  },
  'semantic.not-boolean': {
    severity: 'error',
    message:
      'The expression {expression} of {what} is {found}; expected a condition, which is true or false.',
    explain:
      'Segments and filters of measures decide about each row, so their SQL is a comparison or another boolean expression.',
  },
  'semantic.missing-percentile': {
    severity: 'error',
    message: 'The percentile {name} does not say which.',
    hint: 'add p, for instance p: 0.95',
    explain: 'A measure of type percentile has `p` between 0 and 1.',
  },
  'semantic.aggregate-in-expression': {
    severity: 'error',
    message:
      'The expression of a measure of type {type} is aggregated already by its type, so it cannot contain {function}.',
    hint: 'use type: number for an expression with aggregates of its own',
    explain:
      'A measure of type sum takes the sum of its expression over rows. An aggregate inside would be an aggregate of an aggregate.',
  },
  'semantic.aggregate-in-row': {
    severity: 'error',
    message: '{function} is an aggregate, which {what} cannot contain.',
    explain: 'Dimensions, segments, filters and join conditions are about one row at a time.',
  },
  'semantic.measure-in-row': {
    severity: 'error',
    message: '{name} is a measure, which {what} cannot use.',
    explain:
      'Dimensions, segments, filters and aggregated measures are computed from the columns of one row at a time. Measures can be combined in measures of type number.',
  },
  'semantic.not-aggregated': {
    severity: 'error',
    message: '{name} is a column, which {what} must put into an aggregate.',
    hint: 'refer to a measure, or write for instance SUM({name})',
    explain:
      'A measure of type number has one value per group. Columns have one per row, so they can only stand inside SUM, COUNT and the like.',
  },
  'semantic.cycle': {
    severity: 'error',
    message: 'The members {path} refer to each other in a circle.',
    hint: 'compute one of them from columns',
    explain: 'Members may be computed from other members as long as the chain ends at columns.',
  },
  'semantic.bad-window': {
    severity: 'error',
    message: 'The rolling window {problem}.',
    hint: 'write for instance trailing: 7 days, or to_date: month',
    explain:
      'A rolling window either looks back (and ahead) by a duration, or from the beginning of a period to date.',
  },
  'semantic.window-needs-aggregate': {
    severity: 'error',
    message: 'The measure {name} of type {type} cannot have a rolling window.',
    hint: 'give the window to the measures it is derived from',
    explain:
      'A rolling window aggregates rows of several periods, so the measure must itself be an aggregate: count, sum, avg, min, max, …',
  },
  'semantic.filtered-measure': {
    severity: 'error',
    message: 'The filters of {name} cannot narrow {member}, which is a measure of its own.',
    hint: 'give the filters to {member}, or aggregate columns in the expression',
    explain:
      'Filters of a measure say which rows are aggregated. A measure of type number that is computed from other measures aggregates no rows itself, so its filters would change nothing.',
  },
  'semantic.bad-stock': {
    severity: 'error',
    message: 'The stock {name} {problem}.',
    explain:
      'A measure with behavior: stock is an amount that is there at a time, such as a balance. It is added up over everything but its `time_dimension`, of which each period takes the last, first, average, least or greatest value; so it is never added up over a window.',
  },
  'semantic.not-a-stock': {
    severity: 'error',
    message: 'A behavior of type {type} has no {keys}.',
    hint: 'use type: stock, or remove the key',
    explain:
      'Only a stock has a time over which it is not summed, a treatment of periods and something it is kept for. With any other type these keys would do nothing.',
  },
  'semantic.not-time': {
    severity: 'error',
    message: '{name} is {found}; expected a time dimension.',
    explain:
      'Granularities, time shifts, stocks, rollups and metrics need a dimension whose column is a date or a timestamp.',
  },
  'semantic.unknown-granularity': {
    severity: 'error',
    message: '{name} is not a granularity of {dimension}.',
    explain:
      'Every time dimension has second, minute, hour, day, week, month, quarter and year, and those under `granularities` of the dimension.',
  },
  'semantic.origin-and-offset': {
    severity: 'error',
    message: 'The granularity {name} has both origin and offset.',
    hint: 'keep one of them',
    explain:
      'An origin says at which date a bucket begins, an offset how far the usual buckets are shifted. Both together contradict each other.',
  },
  'semantic.bad-origin': {
    severity: 'error',
    message: 'The origin {value} is not a date; expected for instance 2024-01-01.',
    explain: 'The origin of a granularity is a date (or a timestamp) at which one of its buckets begins.',
  },
  'semantic.uneven-granularity': {
    severity: 'error',
    message: 'The granularity {name} {problem}.',
    hint: 'write an interval in one of months or days, and begin months on the 1st to the 28th',
    explain:
      'Buckets begin at equal distances, so an interval is a number of months (quarters, years) or of days (hours, weeks), never both, and months begin on a day that every month has.',
  },
  'semantic.missing-key': {
    severity: 'warning',
    message: '{name} has no primary key, because the model {model} has no grain.',
    hint: 'add primary_key, or a grain to the model',
    explain:
      'A key says which columns identify a row; plinth validate --data checks it. Without it questions are still answered: rows that meet several others are counted once, by their number.',
  },
  'semantic.join-without-condition': {
    severity: 'error',
    message: 'The join {name} has no condition.',
    hint: 'add on, for instance a comparison of two columns in braces',
    explain:
      'A join says which rows meet: `on` compares columns of both sides. A many_to_many join may name its bridge with `through` instead.',
  },
  'semantic.join-one-sided': {
    severity: 'error',
    message: 'The condition of the join {name} uses no column of {missing}.',
    explain:
      'A join condition compares columns of both semantic models; with those of one side alone every row would meet every row.',
  },
  'semantic.join-foreign-model': {
    severity: 'error',
    message: 'The condition of the join {name} uses {model}, which is neither of its two sides.',
    explain: 'A join condition uses columns of the semantic model it stands in and of the one it joins.',
  },
  'semantic.bridge-missing': {
    severity: 'error',
    message: 'The many_to_many join {name} names no bridge.',
    hint: 'add through with the semantic model in between, which joins both',
    explain:
      'Rows of a many_to_many join meet through a third table. Named with `through`, it keeps measures from being counted twice.',
  },
  'semantic.bridge-without-path': {
    severity: 'error',
    message: 'The bridge {bridge} of the join {name} is not joined with {model}.',
    explain: 'The bridge of a many_to_many join needs a join with each of its two sides.',
  },
  'semantic.no-path': {
    severity: 'error',
    message: 'No join leads from {from} to {to}.',
    hint: 'add a join to one of them',
    explain:
      'Members of two semantic models can be used together when joins connect them, over any number of steps and in either direction.',
  },
  'semantic.ambiguous-path': {
    severity: 'error',
    message: 'More than one join path leads from {from} to {to}: {paths}.',
    hint: 'name the role of a join in place of the model',
    explain:
      'When two join paths lead to the same semantic model, the answer depends on the path, so Plinth chooses none silently. A direct join between the two semantic models wins. Otherwise name the path by the role of a join, by joinHints in a query, or by ON in SQL.',
  },
  'semantic.bad-filter': {
    severity: 'error',
    message: 'This filter {problem}.',
    hint: 'a filter has member, operator and values, or a list under and or or',
    explain:
      'Filters have the form that queries use: a member, an operator and values, or groups of filters under `and` or `or`.',
  },
  'semantic.foreign-mask': {
    severity: 'error',
    message: 'A policy of {semantic} cannot mask {name}.',
    hint: 'mask it in the policies of {model}',
    explain:
      'A policy masks dimensions of its own semantic model. Those of another one are masked by its own policies, wherever they are asked for, also behind a join.',
  },
  'semantic.unknown-group': {
    severity: 'warning',
    message: 'No user of config.yaml is in the group {name}.',
    hint: 'check its spelling; nothing is wrong when its members are users of the server, who are not in config.yaml',
    explain:
      'A policy holds for the members of a group. When users are listed in config.yaml and none is in the group, its name is most often misspelled.',
  },
  'semantic.empty-rollup': {
    severity: 'error',
    message: 'The rollup {name} has no measures.',
    explain: 'A rollup keeps measures ready by dimensions; without measures there is nothing to keep.',
  },
  'semantic.unused-rollup': {
    severity: 'warning',
    message: 'The rollup {name} is not built, because {reason}.',
    hint: 'remove it, or keep the rows it reads in a table of the project',
    explain:
      'A rollup is used only while it is known to be up to date, which the data versions of the tables below it show. Tables that others write, files and functions of the present time have no data version; dimensions where one row meets many cannot be added up.',
  },
  'semantic.measure-not-kept': {
    severity: 'warning',
    message: 'The rollup {name} does not keep {measure}, because {reason}.',
    hint: 'remove it from the rollup; questions for it are answered from the rows',
    explain:
      'A rollup keeps aggregates of the rows of its own semantic model, in groups that can be added up. Windows, shifts, stocks and measures of other semantic models are computed from rows when they are asked for.',
  },
  'semantic.empty-query': {
    severity: 'error',
    message: 'The query asks for nothing.',
    hint: 'name at least one measure or dimension',
    explain:
      'A query has measures, dimensions or time dimensions with a granularity; a time dimension without one only filters.',
  },
  'semantic.unreachable-member': {
    severity: 'error',
    message: '{member} cannot be reached from {fact}, whose measures the query asks for.',
    hint: 'leave it out, join the two, or set unreachableFilters to ignore for filters',
    explain:
      'Each measure is computed over the rows of its own semantic model. What groups or filters them must be reachable from there over joins.',
  },
  'semantic.fan-out-in-measure': {
    severity: 'error',
    message: 'The measure {name} uses {model}, and one row of {fact} can match several rows of it.',
    hint: 'define the measure in {model}',
    explain:
      'A measure aggregates each row of its semantic model once, so its expressions use own columns and models reached over many_to_one or one_to_one joins only.',
  },
  'semantic.no-base': {
    severity: 'error',
    message: 'The query does not say how to join {models}.',
    hint: 'add a measure',
    explain:
      'A query without measures lists the rows of the one semantic model from which many_to_one joins reach all others. Here there is none, or more than one.',
  },
  'semantic.fan-out-ungrouped': {
    severity: 'error',
    message: 'One row of {fact} can match several rows of {model}, so the rows cannot be shown ungrouped.',
    hint: 'leave out {model}, or ungrouped',
    explain: 'An ungrouped answer has one line for each row of one semantic model.',
  },
  'semantic.not-ungrouped': {
    severity: 'error',
    message: 'An ungrouped query cannot have {what}.',
    explain: 'An ungrouped answer has one line for each row of one semantic model, and no groups or windows.',
  },
  'semantic.filter-value': {
    severity: 'error',
    message: '{member} is {type}, which {value} does not fit; expected {expected}.',
    explain: 'The values of a filter have the type of the member. Numbers may be written as text.',
  },
  'semantic.filter-values': {
    severity: 'error',
    message: 'The filter {operator} on {member} has {count} values; expected {expected}.',
    explain: 'Comparisons take one value, lists one or more, date ranges one range or two dates.',
  },
  'semantic.bad-date-range': {
    severity: 'error',
    message: 'The dates of {member} cannot be read: {detail}',
    explain: 'Date ranges are two dates, one date, or words such as today or last 7 days.',
  },
  'semantic.unknown-zone': {
    severity: 'error',
    message: '{zone} is not a time zone.',
    hint: 'write a name such as Europe/Vienna or UTC',
    explain: 'Time zones are names of the IANA database, which know summer time; offsets do not.',
  },
  'semantic.mixed-filter': {
    severity: 'error',
    message: 'A filter combines measures and dimensions by or: {members}.',
    hint: 'combine them by and, or ask twice',
    explain:
      'Filters on dimensions choose rows before they are aggregated, those on measures choose finished rows.',
  },
  'semantic.order-member': {
    severity: 'error',
    message: 'The answer cannot be ordered by {member}, which is not among its columns.',
    hint: 'add it to the dimensions, or order by a measure',
    explain:
      'Rows of an answer are groups: only what they are grouped by, and measures, have one value for each.',
  },
  'semantic.too-many-buckets': {
    severity: 'error',
    message: 'The window or shift of {name} has {count} buckets; at most 1,000,000 are computed.',
    hint: 'ask for a coarser granularity or a shorter date range',
    explain:
      'Rolling windows and time shifts have a value in every bucket of the date range, also where nothing happened.',
  },
  'semantic.needs-time': {
    severity: 'error',
    message: 'The measure {name} needs a time dimension of {fact} in the query.',
    hint: 'group by a time dimension, or give it a date range',
    explain:
      'Rolling windows and time shifts are relative to a period: a bucket of a time dimension, or its date range.',
  },
  'semantic.unclear-period': {
    severity: 'error',
    message: 'The measure {name} moves along {time}, but {problem}.',
    hint: 'group by a bucket of it, such as {time}.day, and compare it with dates',
    explain:
      'A rolling window or time shift has a value in each period of one time. Every column of that time must say which period a row is, and every condition on it which periods are shown.',
  },
  'semantic.bad-limit': {
    severity: 'error',
    message: 'The {what} {value} is not a whole number from 0 on.',
    explain: 'limit says how many rows an answer has at most, offset how many are left out before them.',
  },
  'semantic.cannot-translate': {
    severity: 'error',
    message: 'The query cannot be said in {dialect}: {detail}.',
    explain:
      'Members may use functions that the engine does not have, or that are not in our table of its dialect.',
  },
} as const satisfies Catalog;
