/** One operation for readers: who may, what goes in, what comes out, a line to paste. */

import { escapeHtml } from '../../../foundation/escape-html.ts';
import type { OpenapiOperation, OpenapiParameter } from '../openapi/openapi-document.ts';
import type { OpenapiResponse } from '../openapi/openapi-response.ts';
import type { JsonSchema } from '../route.ts';
import { proseHtml } from './prose-html.ts';
import { boundsHtml, exampleOf, fieldsHtml, typeText } from './schema-html.ts';

/** An operation where it is in its document. */
export interface ReferenceOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: OpenapiOperation;
}

export interface OperationContext {
  /** How a caller shows a credential with curl; undefined where none is needed. */
  readonly credential: string;
  readonly responses: Readonly<Record<string, OpenapiResponse>>;
}

const statusClass = (status: string): string => `s${status.slice(0, 1)}`;

export function operationHtml(
  { method, path, operation }: ReferenceOperation,
  context: OperationContext,
): string {
  const { operationId, summary, description, parameters = [] } = operation;
  const body = operation.requestBody?.content['application/json']?.schema;
  const words = [method, path, operationId, summary, ...parameters.map(({ name }) => name)].join(' ');
  return `<article id="${escapeHtml(operationId)}" data-words="${escapeHtml(words.toLowerCase())}">
<header><h3><a href="#${escapeHtml(operationId)}"><span class="verb ${method.toLowerCase()}">${method}</span> <code>${pathHtml(path)}</code></a></h3>
<p class="summary">${proseHtml(summary)}</p><p class="access"><span>Who may</span> ${proseHtml(description)}</p></header>
<div class="columns"><div>
${parametersHtml(parameters)}
${body === undefined ? '' : `<h4>Body</h4>${fieldsHtml(body, 'request') || `<p class="type">${escapeHtml(typeText(body))}</p>`}`}
${answersHtml(operation, context)}
</div><div class="code">
${codeHtml('curl', curlOf({ method, path, operation }, context))}
${exampleHtml(operation)}
</div></div>
</article>`;
}

const pathHtml = (path: string): string =>
  escapeHtml(path)
    .replaceAll('/', '/<wbr>')
    .replaceAll(/\{(\w+)\}/g, '<em>{$1}</em>');

function parametersHtml(parameters: readonly OpenapiParameter[]): string {
  const rows = parameters.map(({ name, in: place, required, description, schema }) => {
    const words = [
      description === undefined ? '' : proseHtml(description),
      // How long a name in the address may be is nothing to think about.
      place === 'path' ? '' : boundsHtml(schema),
    ].filter((word) => word !== '');
    return `<li><code class="field">${escapeHtml(name)}</code> <span class="type">${escapeHtml(typeText(schema))}, in ${place}</span>${
      required === true ? ' <span class="must">required</span>' : ''
    }${words.length === 0 ? '' : `<p>${words.join(' · ')}</p>`}</li>`;
  });
  return rows.length === 0 ? '' : `<h4>Parameters</h4><ul class="fields">${rows.join('')}</ul>`;
}

function answersHtml({ responses }: OpenapiOperation, { responses: shared }: OperationContext): string {
  const good: string[] = [];
  const bad: string[] = [];
  for (const [status, found] of Object.entries(responses)) {
    const response = resolved(found, shared);
    const types = Object.keys(response.content ?? {});
    const schema = response.content?.['application/json']?.schema;
    const fields = schema === undefined ? '' : fieldsHtml(schema, 'answer');
    const head = `<span class="status ${statusClass(status)}">${status}</span> ${proseHtml(response.description)}`;
    if (Number(status) >= 400) bad.push(problemHtml(head, response));
    else
      good.push(
        `<li>${head}${types.length > 1 || (types.length === 1 && types[0] !== 'application/json') ? `<p>${types.map((type) => `<code>${escapeHtml(type)}</code>`).join(' ')}</p>` : ''}${
          fields === '' ? '' : `<details><summary>fields</summary>${fields}</details>`
        }</li>`,
      );
  }
  return `<h4>Answers</h4><ul class="answers">${good.join('')}</ul>
<details class="errors"><summary>Errors <span class="type">${bad.length} statuses</span></summary><ul class="answers">${bad.join('')}</ul></details>`;
}

const resolved = (
  response: OpenapiResponse | { readonly $ref: string },
  shared: OperationContext['responses'],
): OpenapiResponse =>
  '$ref' in response
    ? (shared[response.$ref.slice('#/components/responses/'.length)] as OpenapiResponse)
    : response;

function problemHtml(head: string, { content = {} }: OpenapiResponse): string {
  const codes = Object.entries(content['application/problem+json']?.examples ?? {}).map(
    ([code, { value }]) =>
      `<li><code>${escapeHtml(code)}</code>${value.hint === undefined ? '' : ` <span class="hint">${escapeHtml(value.hint)}</span>`}</li>`,
  );
  return `<li>${head}${codes.length === 0 ? '' : `<ul class="codes">${codes.join('')}</ul>`}</li>`;
}

const bodyOf = ({ requestBody }: OpenapiOperation): unknown => {
  const schema = requestBody?.content['application/json']?.schema;
  return schema === undefined ? undefined : requestExample(schema);
};

/** Only what is needed, unless the table gives an example: a body with every field is not realistic. */
function requestExample(schema: JsonSchema): unknown {
  if (schema['examples'] !== undefined) return exampleOf(schema);
  const required = new Set((schema['required'] as readonly string[] | undefined) ?? []);
  const fields = Object.entries((schema['properties'] as Readonly<Record<string, JsonSchema>>) ?? {});
  return Object.fromEntries(
    fields.filter(([name]) => required.has(name)).map(([name, field]) => [name, exampleOf(field, name)]),
  );
}

function curlOf({ method, path, operation }: ReferenceOperation, { credential }: OperationContext): string {
  const at = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `$${name.toUpperCase()}`);
  const body = bodyOf(operation);
  const lines = [
    `curl -s${method === 'GET' ? '' : ` -X ${method}`} "$BASE${at}"`,
    ...(operation.security.length === 0 ? [] : [`-H "${credential}"`]),
    ...(body === undefined
      ? []
      : ["-H 'Content-Type: application/json'", `-d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`]),
  ];
  return lines.join(' \\\n  ');
}

function exampleHtml({ responses }: OpenapiOperation): string {
  for (const [status, response] of Object.entries(responses)) {
    const schema = '$ref' in response ? undefined : response.content?.['application/json']?.schema;
    if (schema === undefined || Number(status) >= 300) continue;
    return codeHtml(`answer ${status}`, JSON.stringify(exampleOf(schema), undefined, 2));
  }
  return '';
}

const codeHtml = (title: string, text: string): string =>
  `<figure><figcaption>${escapeHtml(title)} <button type="button" class="copy">copy</button></figcaption><pre tabindex="0">${escapeHtml(text)}</pre></figure>`;
