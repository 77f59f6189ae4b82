import { PARAMETER_TYPES, type Perspective, SLUG } from '../../../domain/perspective.ts';
import { namesInQuery } from './fill-perspective.ts';
import { namelessPlaces, placesOf } from './parameter-places.ts';
import { parameterValue } from './parameter-value.ts';

const PARAMETER_NAME = /^[A-Za-z_]\w{0,63}$/;
/** Of a question as text. */
const QUESTION_MAX = 100_000;

/** What is wrong with a perspective by itself, for every caller: details in words. */
export function definitionProblems({
  slug,
  query,
  params,
}: Pick<Perspective, 'slug' | 'query' | 'params'>): readonly string[] {
  const problems: string[] = [];
  if (!SLUG.test(slug))
    problems.push(
      'its slug needs 1 to 80 small letters, digits, dashes or underscores, begins with a letter or digit, and is not an id',
    );
  const length = query.kind === 'sql' ? query.sql.length : JSON.stringify(query.query).length;
  if (length > QUESTION_MAX)
    problems.push(`its question has ${length} characters, and may have ${QUESTION_MAX}`);
  const asked =
    query.kind === 'sql' ? placesOf(query.sql).map(({ name }) => name) : namesInQuery(query.query);
  if (query.kind === 'sql' && namelessPlaces(query.sql).length > 0)
    problems.push('its SQL has ? or a number where a named parameter such as $region is needed');
  const known = new Set<string>();
  for (const param of params) {
    const { name, isList, allowed = [], default: own } = param;
    if (!PARAMETER_NAME.test(name)) problems.push(`a parameter cannot be named ${JSON.stringify(name)}`);
    if (!PARAMETER_TYPES.includes(param.type))
      problems.push(`the type of ${name} must be one of ${PARAMETER_TYPES.join(', ')}`);
    if (known.has(name)) problems.push(`it has two parameters ${name}`);
    known.add(name);
    if (!asked.includes(name)) problems.push(`its question does not ask for the parameter ${name}`);
    if (isList === true && query.kind === 'sql')
      problems.push(`the parameter ${name} is a list, which SQL has no place for`);
    for (const value of allowed) {
      const checked = parameterValue({ type: param.type }, value);
      if (!checked.ok) problems.push(`an allowed value of ${name} must be ${checked.wanted}`);
    }
    const checked = own === undefined ? undefined : parameterValue(param, own);
    if (checked?.ok === false) problems.push(`the default of ${name} must be ${checked.wanted}`);
  }
  for (const name of new Set(asked))
    if (!known.has(name)) problems.push(`its question asks for ${name}, which is not among its parameters`);
  return problems;
}
