/** What the API answered about a user, asked live. Never `author_association`: it also marks people who may only read. */
export interface SenderPermission {
  readonly login: string;
  /** `admin`, `write`, `read` or `none`; newer servers may also say `maintain` or `triage`. */
  readonly permission: string;
  /** The exact role, perhaps an organisation's own; for the reason's text only. */
  readonly roleName: string;
}

export type PermissionDecision =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly reason: string };

const ENOUGH = ['admin', 'maintain', 'write'];

/** Decides whether a sender may start a run: write or more, and never an app, whatever its name claims to be. */
export function decidePermission({ login, permission, roleName }: SenderPermission): PermissionDecision {
  if (isBotLogin(login)) return refused(`${login} is a bot, and bots can not give commands`);
  if (ENOUGH.includes(permission)) return { allowed: true };
  const role = roleName && roleName !== permission ? ` (role ${roleName})` : '';
  return refused(`${login} has the permission "${permission}"${role} here; write or more is needed`);
}

/** Logins of apps end in `[bot]`, which no person's login can. */
export const isBotLogin = (login: string): boolean => /\[bot\]\s*$/i.test(login);

const refused = (reason: string): PermissionDecision => ({ allowed: false, reason });
