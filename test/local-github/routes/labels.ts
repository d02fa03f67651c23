/** Labels of issues and pull requests. */
import { labelBody } from '../bodies.ts';
import { addLabel } from '../issues.ts';
import { type Answer, type Context, invalid, issueOf, Refusal, type Route } from '../rest.ts';
import { conversation } from './issues.ts';

const PATH = '/issues/{number}/labels';

export const labelRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: PATH,
    needs: context => conversation(context, 'read'),
    handle: context => labelsOf(context),
  },
  { method: 'POST', path: PATH, needs: context => conversation(context, 'write'), handle: add },
  {
    method: 'DELETE',
    path: `${PATH}/{name}`,
    needs: context => conversation(context, 'write'),
    handle: remove,
  },
];

const labelsOf = (context: Context): Answer => ({
  status: 200,
  body: issueOf(context).labels.map(label => labelBody(context.repository, label, context.urls)),
});

function add(context: Context): Answer {
  const { state, repository, body } = context;
  const { number } = issueOf(context);
  const names: unknown = body.labels;
  if (!Array.isArray(names) || names.some(name => typeof name !== 'string'))
    throw invalid({ resource: 'Label', code: 'missing_field', field: 'name' });
  for (const name of names) addLabel(state, repository, number, name);
  return labelsOf(context);
}

function remove(context: Context): Answer {
  const { labels } = issueOf(context);
  const at = labels.findIndex(({ name }) => name.toLowerCase() === context.params.name?.toLowerCase());
  if (at < 0) throw new Refusal(404, 'Label does not exist');
  labels.splice(at, 1);
  return labelsOf(context);
}
