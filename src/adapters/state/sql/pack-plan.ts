import { storedEnvironment } from '../../../domain/environment.ts';
import type { Plan } from '../../../domain/plan.ts';
import type { Snapshot } from '../../../domain/snapshot.ts';
import { type PackedContents, packContents, unpackContents } from './pack-content.ts';

/** A plan as it crosses threads: what the store looks at, and the rest as one text without the snapshots' contents. */
export interface PackedPlan {
  readonly id: string;
  readonly environment: string;
  readonly basePromotionId?: string;
  readonly createdAt: number;
  readonly changes: number;
  readonly stages: number;
  readonly snapshots: readonly Snapshot[];
  readonly contents: PackedContents;
  readonly restatements: Plan['restatements'];
  readonly body: string;
}

/** A plan is saved and then begun; packing a thousand contents twice would be felt. */
const packedPlans = new WeakMap<Plan, PackedPlan>();

export function packPlan(plan: Plan): PackedPlan {
  let packed = packedPlans.get(plan);
  if (packed === undefined) {
    packed = pack(plan);
    packedPlans.set(plan, packed);
  }
  return packed;
}

function pack(plan: Plan): PackedPlan {
  const snapshots = plan.snapshots.map(({ snapshot }) => snapshot);
  return packedOf(plan, {
    snapshots,
    contents: packContents(
      plan.snapshots.map(({ snapshot, content }) => ({ fingerprint: snapshot.fingerprint, content })),
    ),
    body: JSON.stringify({ ...plan, snapshots }),
  });
}

function packedOf(plan: Plan, parts: Pick<PackedPlan, 'snapshots' | 'contents' | 'body'>): PackedPlan {
  return {
    id: plan.id,
    environment: plan.environment,
    ...(plan.basePromotionId === undefined ? {} : { basePromotionId: plan.basePromotionId }),
    createdAt: plan.createdAt,
    changes: plan.changes.length,
    stages: plan.stages.length,
    restatements: plan.restatements,
    ...parts,
  };
}

/** Snapshots whose content the janitor has forgotten since are left out: such a plan can be read, not applied. */
export async function unpackPlan(body: string, packed: PackedContents): Promise<Plan> {
  const plan = JSON.parse(body) as Omit<Plan, 'snapshots'> & { readonly snapshots: readonly Snapshot[] };
  const contents = await unpackContents(packed);
  const unpacked: Plan = {
    ...plan,
    target: storedEnvironment(plan.target),
    snapshots: plan.snapshots.flatMap((snapshot) => {
      const content = contents.get(snapshot.fingerprint);
      return content === undefined ? [] : [{ snapshot, content }];
    }),
  };
  // What is read to be applied is stored again as it was.
  if (unpacked.snapshots.length === plan.snapshots.length)
    packedPlans.set(unpacked, packedOf(unpacked, { snapshots: plan.snapshots, contents: packed, body }));
  return unpacked;
}
