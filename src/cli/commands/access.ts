import type { AccessDecision } from '../../domain/access-decision.ts';
import { failure } from '../../domain/failure.ts';
import { type AccessRequest, isActive, type ProductRole } from '../../domain/principal.ts';
import { isoInstant, isoInstantOrNull } from '../../foundation/time/iso.ts';
import { decideRequest } from '../../operations/access/decide-request.ts';
import { Directory } from '../../operations/access/directory.ts';
import { listGrants } from '../../operations/access/list-grants.ts';
import { findRequest, listRequests } from '../../operations/access/list-requests.ts';
import { requestAccess } from '../../operations/access/request-access.ts';
import { revokeGrant } from '../../operations/access/revoke-grant.ts';
import { openWorld } from '../../operations/open-world.ts';
import { ownPlatform } from '../../operations/own-platform.ts';
import type { Product } from '../../operations/platform.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';
import { expiryOf } from '../expiry.ts';
import { actionOf } from '../open-access.ts';

interface Opened {
  readonly directory: Directory;
  readonly product: Product;
  readonly now: number;
}

/** Requests shown at once; who has more uses the API. */
const REQUESTS_MAX = 200;

export async function run(context: CommandContext): Promise<CommandAnswer> {
  const { action, name } = actionOf(context, ['request', 'approve', 'deny', 'revoke']);
  const opened = await open(context);
  switch (action) {
    case 'grants':
      return grants(opened);
    case 'revoke':
      await revokeGrant(opened.directory, opened.product, name);
      return {
        data: { principal: name, product: opened.product.slug },
        print: ({ note }) => note(`The grants of ${name} on ${opened.product.slug} are revoked.`),
      };
    case 'requests':
      return requests(context, opened);
    case 'request':
      return request(context, opened, name);
    default:
      return decide(opened, name, decisionOf(context, opened.now));
  }
}

async function open(context: CommandContext): Promise<Opened> {
  const workspace = await context.workspace();
  const platform = ownPlatform(workspace, await openWorld(workspace));
  const now = workspace.clock.now();
  const [product] = platform.products;
  if (product === undefined) throw new Error('a folder is a product');
  return { directory: new Directory(platform, { principalId: workspace.who, now }), product, now };
}

async function grants({ directory, product, now }: Opened): Promise<CommandAnswer> {
  const found = (await listGrants(directory, product)).map((grant) => ({
    principal: grant.principal,
    role: grant.role,
    source: grant.source,
    expires_at: isoInstantOrNull(grant.expiresAt),
    is_active: isActive(grant, now),
    request_id: grant.requestId ?? null,
  }));
  return {
    data: { product: product.slug, grants: found },
    print: ({ out }) => {
      for (const each of found)
        out(
          [
            each.principal,
            each.role,
            each.source,
            ...(each.expires_at === null ? [] : [`${each.is_active ? 'until' : 'ended'} ${each.expires_at}`]),
          ].join('  '),
        );
    },
  };
}

/** In the name of a user: the owner of the folder writes down what was asked elsewhere. */
async function request(
  { values }: CommandContext,
  { directory, product, now }: Opened,
  name: string,
): Promise<CommandAnswer> {
  const end = expiryOf(values, now);
  const made = await requestAccess(directory, product, {
    principalId: name,
    role: (values.get('role') ?? 'consumer') as ProductRole,
    reason: values.get('note'),
    durationMs: end === undefined ? undefined : end - now,
  });
  const data = bodyOf(made.request);
  return {
    data: { ...data, is_new: made.isNew },
    print: ({ out, note }) => {
      out(data.id);
      note(`${data.principal} asks to be ${data.role} of ${data.product}.`);
    },
  };
}

async function requests({ values }: CommandContext, { directory, product }: Opened): Promise<CommandAnswer> {
  const status = (values.get('status') ?? 'pending') as AccessRequest['status'] | 'all';
  const { tenant, slug } = product;
  const { items } = await listRequests(directory, {
    tenant,
    product: slug,
    limit: REQUESTS_MAX,
    ...(status === 'all' ? {} : { status }),
  });
  const found = items.map(bodyOf);
  return {
    data: { product: slug, requests: found },
    print: ({ out, note }) => {
      for (const each of found)
        out([each.id, each.principal, each.role, each.status, each.reason ?? ''].join('  ').trimEnd());
      if (found.length === 0) note('No request is pending.');
    },
  };
}

function decisionOf({ arguments: [action], values }: CommandContext, now: number): AccessDecision {
  const note = values.get('note');
  if (action === 'deny') return { kind: 'deny', note };
  const end = expiryOf(values, now);
  return {
    kind: 'approve',
    role: values.get('role') as ProductRole | undefined,
    durationMs: end === undefined ? undefined : end - now,
    note,
  };
}

async function decide(
  { directory, product }: Opened,
  id: string,
  decision: AccessDecision,
): Promise<CommandAnswer> {
  const found = await findRequest(directory, product.tenant, id);
  if (found === undefined) throw failure('access.not-found', { what: 'access request', name: id });
  const decided = bodyOf(await decideRequest(directory, found, decision));
  const until = decided.expires_at === null ? '' : ` until ${decided.expires_at}`;
  return {
    data: decided,
    print: ({ note }) =>
      note(
        decided.status === 'approved'
          ? `${decided.principal} is ${decided.granted_role} of ${decided.product}${until}.`
          : `${decided.principal} does not become ${decided.role} of ${decided.product}.`,
      ),
  };
}

const bodyOf = (request: AccessRequest) => ({
  id: request.id,
  product: request.product,
  principal: request.principal,
  role: request.role,
  reason: request.reason ?? null,
  status: request.status,
  created_at: isoInstant(request.createdAt),
  decided_by: request.decidedBy ?? null,
  note: request.note ?? null,
  granted_role: request.grantedRole ?? null,
  expires_at: isoInstantOrNull(request.expiresAt),
});
