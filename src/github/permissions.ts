import { UserError } from '../errors.ts';
import type { GitHub } from './client.ts';
import { attempt, cureOf } from './github-error.ts';

export interface Permission {
  /** `admin`, `write`, `read` or `none`. */
  readonly permission: string;
  /** The exact role, such as `maintain`, `triage`, or one of the organisation's own. */
  readonly roleName: string;
}

/** Asks, live, what a user may do in the repository. Who is no user, or none that this repository knows, may do nothing. */
export async function readPermission({ rest, owner, repo }: GitHub, login: string): Promise<Permission> {
  const result = await attempt(() =>
    rest.repos.getCollaboratorPermissionLevel({ owner, repo, username: login }),
  );
  if (result.ok) return { permission: result.value.data.permission, roleName: result.value.data.role_name };
  if (result.error.kind === 'not-found') return { permission: 'none', roleName: 'none' };
  throw new UserError(
    `Asking for the permission of ${login} failed, so the command is not obeyed: ${result.error.message}`,
    cureOf(result.error),
  );
}
