/** People and what is made of them, above, below and beside a model that policies protect. */
const PEOPLE = `FROM (VALUES
  (1, 'ann@x.eu', 'EU', 10, 1980), (2, 'bob@x.us', 'US', 20, 1990), (3, 'eve@x.eu', 'EU', 30, 1970)
) AS t(id, email, country, spend, born)`;

const model = (name: string, query: string, kind = 'FULL'): string =>
  `MODEL (name ${name}, kind ${kind});\n${query}\n`;

/** Policies of the semantic model `people`, over `marts.people`. */
export const POLICIES = `policies:
  - {group: admin}
  - {group: eu, filter: [{member: country, operator: equals, values: [EU]}]}
  - {group: masked, mask: [email]}
`;

export const PEOPLE_YML = `kind: semantic
name: people
depends_on: marts.people
dimensions: [id, {name: email, mask_expression: "'***'"}, country, {name: inside, expression: "{spend} + 1", public: false}]
measures:
  - {name: spend, type: sum, expression: "{spend}"}
  - {name: hidden_spend, type: sum, expression: "{spend}", public: false}
`;

export const GUARDED_CONFIG = `name: guarded
users: [{username: any, groups: [admin, eu, masked, payers]}]
`;

/** With rules that open models, environments and what policies hide. */
export const ACCESS_CONFIG = `${GUARDED_CONFIG}access:
  - {principal: reader, role: consumer}
  - {principal: support, models: [raw.people]}
  - {principal: testers, environments: [dev]}
  - {principal: auditors, policies: exempt}
`;

export const GUARDED_FILES: Readonly<Record<string, string>> = {
  'models/raw.sql': model('raw.people', `SELECT id, email, country, spend, born ${PEOPLE}`),
  'models/staging.sql': model(
    'staging.people',
    'SELECT id, lower(email) AS email, country, spend FROM raw.people',
  ),
  'models/marts.sql': model('marts.people', 'SELECT id, email, country, spend FROM staging.people'),
  // Derived from it.
  'models/report.sql': model(
    'marts.report',
    'SELECT country, count(*) AS people FROM marts.people GROUP BY country',
    'VIEW',
  ),
  // Beside it: of columns that flow into it, of one that does not, and by a condition.
  'models/side.sql': model('side.spend', 'SELECT spend FROM raw.people'),
  'models/ages.sql': model('side.ages', 'SELECT born FROM raw.people'),
  'models/mails.sql': model('side.mails', "SELECT born FROM raw.people WHERE email LIKE '%.eu'"),
  'models/ids.sql': model('side.ids', 'SELECT id AS number, country FROM raw.people'),
  'models/far.sql': model('far.days', 'SELECT 1 AS day'),
  // Derived from it, with policies of its own.
  'models/open.sql': model('marts.totals', 'SELECT sum(spend) AS spend FROM marts.people'),
  'models/pay.sql': model('marts.pay', "SELECT 1 AS id, 5000 AS amount, DATE '2025-01-01' AS paid_on"),
  'models/semantics/people.yml': `${PEOPLE_YML}${POLICIES}`,
  'models/semantics/totals.yml': `kind: semantic
name: totals
depends_on: marts.totals
dimensions: [spend]
policies: [{group: '*'}]
`,
  'models/semantics/pay.yml': `kind: semantic
name: pay
depends_on: marts.pay
dimensions: [id, paid_on]
measures: [{name: amount, type: sum, expression: "{amount}"}]
policies: [{group: payers}, {group: admin}]
rollups: [{name: all, measures: [amount], dimensions: [id]}]
`,
  'models/metrics/paid.yml': 'kind: metric\nname: paid\nmeasure: pay.amount\nts: pay.paid_on\n',
};
