import type { QueryMember } from '../../../domain/model-test.ts';
import type { YamlNode, YamlScalar } from '../../../foundation/yaml/tree.ts';

/** The members that a semantic query names, with their places: a value that is not text is left to the query's own checks. */
export function queryMembers(query: YamlNode): readonly QueryMember[] {
  const members: QueryMember[] = [];
  const add = (node: YamlNode, expected: QueryMember['expected']): void => {
    const member = textOf(node);
    if (member !== undefined) members.push({ member, expected });
  };
  for (const { key, value } of entriesOf(query))
    switch (key.text) {
      case 'measures':
        for (const item of itemsOf(value)) add(item, 'measure');
        break;
      case 'dimensions':
        for (const item of itemsOf(value)) add(item, 'dimension');
        break;
      case 'segments':
        for (const item of itemsOf(value)) add(item, 'segment');
        break;
      case 'timeDimensions':
        for (const item of itemsOf(value)) members.push(...timeMember(item));
        break;
      case 'filters':
        filterMembers(value, (member) => add(member, 'measure or dimension'));
        break;
      case 'order':
        if (value.kind === 'map') for (const entry of value.entries) add(entry.key, 'measure or dimension');
        else
          for (const item of itemsOf(value)) {
            const [first] = itemsOf(item);
            if (item.kind === 'list' && first !== undefined) add(first, 'measure or dimension');
          }
    }
  return members;
}

function timeMember(item: YamlNode): readonly QueryMember[] {
  const find = (name: string): QueryMember['member'] | undefined => {
    const found = entriesOf(item).find(({ key }) => key.text === name);
    return found === undefined ? undefined : textOf(found.value);
  };
  const member = find('dimension');
  const granularity = find('granularity');
  if (member === undefined) return [];
  return [{ member, expected: 'time', ...(granularity === undefined ? {} : { granularity }) }];
}

function filterMembers(node: YamlNode, add: (member: YamlNode) => void): void {
  for (const item of itemsOf(node))
    for (const { key, value } of entriesOf(item)) {
      if (key.text === 'member' || key.text === 'dimension') add(value);
      if (key.text === 'and' || key.text === 'or') filterMembers(value, add);
    }
}

function entriesOf(node: YamlNode) {
  return node.kind === 'map' ? node.entries : [];
}

function itemsOf(node: YamlNode): readonly YamlNode[] {
  return node.kind === 'list' ? node.items : [];
}

function textOf(node: YamlNode): QueryMember['member'] | undefined {
  if (node.kind !== 'scalar' || typeof node.value !== 'string') return undefined;
  const { text, start, end }: YamlScalar = node;
  return { value: text, start, end };
}
