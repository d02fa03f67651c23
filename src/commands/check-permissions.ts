import type { GitHub } from '../github/client.ts';
import { type PermissionRow, probePermissions } from '../github/probe-permissions.ts';
import type { CheckRow } from '../report/check-table.ts';
import type { Emit } from '../run-events.ts';
import { tryRow } from './try-row.ts';

export interface PermissionCheck {
  readonly github: GitHub;
  readonly runId: number;
  readonly emit: Emit;
  readonly signal: AbortSignal;
}

/** Each permission, tried by a request that can not succeed. */
export async function checkPermissions(check: PermissionCheck): Promise<readonly CheckRow[]> {
  const { value, row } = await tryRow({ ...check, what: 'Permissions' }, async () => ({
    value: await probePermissions(check.github, { runId: check.runId }),
    found: '',
  }));
  return value ? value.map(rowOf) : [row];
}

function rowOf(probed: PermissionRow): CheckRow {
  const { permission: what, state, detail } = probed;
  const needed = probed.needed.replaceAll('`', '');
  const isSetting = what.startsWith('setting');
  if (state === 'granted') {
    const found = isSetting ? 'not switched off' : needed === 'required' ? 'granted' : `granted; ${needed}`;
    return { what, state: 'ok', found, cure: '' };
  }
  if (state === 'missing')
    return {
      what,
      state: needed === 'required' ? 'failed' : 'warning',
      found: `${isSetting ? 'off' : 'missing'}: ${detail.replaceAll('`', '')}`,
      cure: cureOf(probed, isSetting),
    };
  return isSetting
    ? { what, state: 'skipped', found: detail.replaceAll('`', ''), cure: '' }
    : { what, state: 'warning', found: `GitHub did not say: ${detail}`, cure: TRY_AGAIN };
}

function cureOf({ needed, cure = '' }: PermissionRow, isSetting: boolean): string {
  if (isSetting)
    return `${cure} Until then a run ends with a branch and a link to open the pull request by hand.`;
  return needed === 'required' ? cure : `Only ${needed}: ${lowerFirst(cure)}`;
}

const TRY_AGAIN = 'Give `/agent check` again; see https://www.githubstatus.com when it stays like this.';

const lowerFirst = (text: string): string => `${text.slice(0, 1).toLowerCase()}${text.slice(1)}`;
