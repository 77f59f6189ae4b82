import { failure } from '../../domain/failure.ts';
import { PRODUCT_ROLES, type ProductRole, TENANT_ROLES, type TenantRole } from '../../domain/principal.ts';
import { isoInstant } from '../../foundation/time/iso.ts';
import { changeRole } from '../../operations/access/change-principal.ts';
import { grantRole } from '../../operations/access/grant-role.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';
import { expiryOf } from '../expiry.ts';
import { openAccess } from '../open-access.ts';

export async function run(context: CommandContext): Promise<CommandAnswer> {
  const [principal = '', role = ''] = context.arguments;
  const { access, tenant, product: own } = await openAccess(context);
  const named = context.values.get('product');
  if ((TENANT_ROLES as readonly string[]).includes(role) && named === undefined) {
    if (context.values.has('expires'))
      throw failure('cli.bad-value', {
        name: '--expires',
        value: `with ${role}`,
        expected: 'a role on a product; one in a tenant has no end',
      });
    await changeRole(access, { tenant, principal, role: role as TenantRole });
    return {
      data: { principal, role, tenant },
      print: ({ note }) => note(`${principal} is ${role} of ${tenant}.`),
    };
  }
  if (!(PRODUCT_ROLES as readonly string[]).includes(role))
    throw failure('cli.bad-value', {
      name: 'the role',
      value: role,
      expected: [...PRODUCT_ROLES, ...TENANT_ROLES].join(', '),
    });
  const product = named === undefined ? own : named.startsWith(`${tenant}-`) ? named : `${tenant}-${named}`;
  const { expiresAt } = await grantRole(access, {
    tenant,
    product,
    principal,
    role: role as ProductRole,
    expiresAt: expiryOf(context.values, access.now),
  });
  const end = expiresAt === undefined ? null : isoInstant(expiresAt);
  return {
    data: { principal, role, tenant, product, expires_at: end },
    print: ({ note }) => note(`${principal} is ${role} of ${product}${end === null ? '' : ` until ${end}`}.`),
  };
}
