/** The repository itself, who may do what in it, and its refs. */
import type { components } from '@octokit/openapi-types';
import { repositoryBody, userBody } from '../bodies.ts';
import { git, listRefs, readRef } from '../git-repository.ts';
import { type Answer, type Context, notFound, page, Refusal, type Route, textField } from '../rest.ts';

type Schemas = components['schemas'];

export const repositoryRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '',
    needs: [{ metadata: 'read' }],
    handle: ({ repository, urls }) => ({ status: 200, body: repositoryBody(repository, urls) }),
  },
  {
    method: 'GET',
    path: '/collaborators/{login}/permission',
    needs: [{ metadata: 'read' }],
    handle: permission,
  },
  { method: 'GET', path: '/git/ref/{ref+}', needs: [{ contents: 'read' }], handle: ref },
  { method: 'GET', path: '/git/matching-refs/{ref+}', needs: [{ contents: 'read' }], handle: matchingRefs },
  { method: 'GET', path: '/branches/{branch+}', needs: [{ contents: 'read' }], handle: branch },
  { method: 'POST', path: '/git/refs', needs: [{ contents: 'write' }], handle: createRef },
];

/** In a public repository everybody may read; the old field knows neither `maintain` nor `triage`. */
function permission({ state, repository, params, token, urls }: Context): Answer {
  if (!token) throw new Refusal(401, 'Requires authentication');
  const login = params.login ?? '';
  const user = state.users.get(login.toLowerCase());
  if (user?.type !== 'User') throw new Refusal(404, `${login} is not a user`);
  const owner = user.id === repository.owner.id;
  const role = owner
    ? 'admin'
    : (repository.collaborators.get(login.toLowerCase()) ?? (repository.private ? 'none' : 'read'));
  const legacy = ({ maintain: 'write', triage: 'read' } as Record<string, string>)[role] ?? role;
  const body: Schemas['repository-collaborator-permission'] = {
    permission: legacy,
    role_name: role,
    user: { ...userBody(user, urls), email: null, role_name: role },
  };
  return { status: 200, body };
}

async function ref({ repository, params, urls }: Context): Promise<Answer> {
  const wanted = `refs/${params.ref}`;
  const found = (await listRefs(repository.folder, wanted)).find(row => row.ref === wanted);
  if (!found) throw notFound();
  return { status: 200, body: refBody(found, repositoryBody(repository, urls).url) };
}

/** The fields that anybody reads of it; the commit is a stub of its own. */
async function branch({ repository, params, urls }: Context): Promise<Answer> {
  const name = params.branch ?? '';
  const sha = await readRef(repository.folder, `refs/heads/${name}`);
  if (!sha) throw new Refusal(404, 'Branch not found');
  const { url, html_url } = repositoryBody(repository, urls);
  const body = {
    name,
    commit: { sha, url: `${url}/commits/${sha}` },
    _links: { self: `${url}/branches/${name}`, html: `${html_url}/tree/${name}` },
    protected: repository.settings.protectedBranches.includes(name),
  };
  return { status: 200, body };
}

async function matchingRefs(context: Context): Promise<Answer> {
  const { repository, params, urls } = context;
  const rows = await listRefs(repository.folder, `refs/${params.ref}`);
  const answer = page(context, `/git/matching-refs/${params.ref}`, rows);
  return { ...answer, body: answer.body.map(row => refBody(row, repositoryBody(repository, urls).url)) };
}

const refBody = ({ ref: name, sha }: { ref: string; sha: string }, url: string): Schemas['git-ref'] => ({
  ref: name,
  node_id: Buffer.from(`Ref:${name}`).toString('base64url'),
  url: `${url}/git/${name}`,
  object: { type: 'commit', sha, url: `${url}/git/commits/${sha}` },
});

async function createRef({ repository, body, urls }: Context): Promise<Answer> {
  const ref = textField(body, 'ref') ?? '';
  const sha = textField(body, 'sha') ?? '';
  if (!/^refs\/[^/]+\/./.test(ref)) throw new Refusal(422, 'Reference name must start with `refs/`.');
  if (!/^[0-9a-f]{40}$/.test(sha)) throw new Refusal(422, 'The sha parameter must be exactly 40 characters.');
  if ((await readRef(repository.folder, sha)) !== sha) throw new Refusal(422, 'Object does not exist');
  if (await readRef(repository.folder, ref)) throw new Refusal(422, 'Reference already exists');
  await git(repository.folder, ['update-ref', ref, sha]);
  return { status: 201, body: refBody({ ref, sha }, repositoryBody(repository, urls).url) };
}
