/** Groups of a tenant: policies and grants name them. */
import { isoInstant } from '../../../foundation/time/iso.ts';
import { findGroup, type KnownGroup, listGroups } from '../../../operations/access/list-groups.ts';
import { putGroup } from '../../../operations/access/put-group.ts';
import { removeGroup } from '../../../operations/access/remove-group.ts';
import { expectedOf, isOnlyNew, showTag } from '../answers/conditional.ts';
import { listSchemaOf } from '../answers/list-schema.ts';
import { PAGE_QUERY, page } from '../answers/page.ts';
import type { JsonSchema, Route, RouteCall } from '../route.ts';
import { NAME } from '../schemas/name-schemas.ts';
import { directoryOf } from './directory-routes.ts';

const NAMES: JsonSchema = { type: 'array', items: { type: 'string' } };
const GROUP: JsonSchema = {
  type: 'object',
  required: ['name', 'members', 'config_members', 'created_at'],
  properties: {
    name: { type: 'string' },
    members: { ...NAMES, description: 'users and service accounts, by name' },
    config_members: { ...NAMES, description: 'members from `users` of config.yaml' },
    created_at: { type: ['string', 'null'], description: 'null when it was never made, only named' },
  },
};
const MEMBERS: JsonSchema = { type: 'array', maxItems: 10_000, uniqueItems: true, items: NAME };

const groupBody = ({ name, members, configMembers, createdAt }: KnownGroup) => ({
  name,
  members,
  config_members: configMembers,
  created_at: createdAt === undefined ? null : isoInstant(createdAt),
});

function shown(call: RouteCall, group: KnownGroup): unknown {
  showTag(call, group.tag);
  return groupBody(group);
}

const about = { tag: 'principals', access: 'tenant-admin' } as const;
const ALL = '/tenants/{tenant}/groups';
const ONE = `${ALL}/{name}`;
const AFTER = { 200: { description: 'the group after the change', schema: GROUP } };

export const groupRoutes: readonly Route[] = [
  {
    ...about,
    method: 'GET',
    path: ALL,
    operationId: 'listGroups',
    summary: 'Groups and their members; policies and grants name them',
    query: PAGE_QUERY,
    answers: { 200: { description: 'groups', schema: listSchemaOf(GROUP) } },
    handle: async (call) =>
      page((await listGroups(directoryOf(call), call.path['tenant'] ?? '')).map(groupBody), {
        query: call.query,
        keyOf: ({ name }) => name,
      }),
  },
  {
    ...about,
    method: 'POST',
    path: ALL,
    operationId: 'createGroup',
    summary: 'A new group',
    body: {
      type: 'object',
      additionalProperties: false,
      required: ['name'],
      properties: { name: NAME, members: MEMBERS },
    },
    answers: { 201: { description: 'the group', schema: GROUP } },
    handle: async (call) => {
      const { tenant = '' } = call.path;
      const { name, members = [] } = call.body as {
        readonly name: string;
        readonly members?: readonly string[];
      };
      const made = await putGroup(directoryOf(call), { tenant, name, members, isNew: true });
      call.reply
        .code(201)
        .header(
          'location',
          `/platform-api/v1/tenants/${encodeURIComponent(tenant)}/groups/${encodeURIComponent(name)}`,
        );
      return shown(call, made);
    },
  },
  {
    ...about,
    method: 'GET',
    path: ONE,
    operationId: 'getGroup',
    summary: 'One group',
    answers: { 200: { description: 'the group', schema: GROUP } },
    handle: async (call) => {
      const { tenant = '', name = '' } = call.path;
      return shown(call, await findGroup(directoryOf(call), tenant, name));
    },
  },
  {
    ...about,
    method: 'PUT',
    path: ONE,
    operationId: 'putGroup',
    summary: 'Make a group, or give it other members',
    isConditional: true,
    body: {
      type: 'object',
      additionalProperties: false,
      required: ['members'],
      properties: { members: MEMBERS },
    },
    answers: AFTER,
    handle: async (call) => {
      const { tenant = '', name = '' } = call.path;
      const { members } = call.body as { readonly members: readonly string[] };
      const expected = isOnlyNew(call) ? 'none' : expectedOf(call);
      return shown(call, await putGroup(directoryOf(call), { tenant, name, members, expected }));
    },
  },
  {
    ...about,
    method: 'PATCH',
    path: ONE,
    operationId: 'changeGroup',
    summary: 'Add and remove members of a group',
    isConditional: true,
    body: {
      type: 'object',
      additionalProperties: false,
      minProperties: 1,
      properties: { add: MEMBERS, remove: MEMBERS },
    },
    answers: AFTER,
    handle: async (call) => {
      const { tenant = '', name = '' } = call.path;
      const { add = [], remove = [] } = call.body as {
        readonly add?: readonly string[];
        readonly remove?: readonly string[];
      };
      const directory = directoryOf(call);
      const before = await findGroup(directory, tenant, name);
      const members = [...new Set([...before.members, ...add])].filter((each) => !remove.includes(each));
      // What was added by others meanwhile must not be lost, so the change is to what was just read.
      const expected = expectedOf(call) ?? [before.tag];
      return shown(call, await putGroup(directory, { tenant, name, members, expected }));
    },
  },
  {
    ...about,
    method: 'DELETE',
    path: ONE,
    operationId: 'deleteGroup',
    summary: 'Remove a group with all memberships and grants; one that config.yaml names stays',
    isConditional: true,
    answers: { 204: { description: 'it is removed' } },
    handle: async (call) => {
      const { tenant = '', name = '' } = call.path;
      await removeGroup(directoryOf(call), { tenant, name, expected: expectedOf(call) });
      return call.reply.code(204).send();
    },
  },
];
