import { reactionBody } from '../bodies.ts';
import {
  type Context,
  callerOf,
  invalid,
  issueOf,
  notFound,
  page,
  Refusal,
  type Route,
  textField,
} from '../rest.ts';
import { isWriter, nextId, type Reaction, timestamp } from '../state.ts';
import { commentOf, conversation } from './issues.ts';

const CONTENTS = ['+1', '-1', 'laugh', 'confused', 'heart', 'hooray', 'rocket', 'eyes'];

/** Reactions to an issue and to a comment, which differ in the path alone. */
export const reactionRoutes: readonly Route[] = [
  ...routesAt('/issues/comments/{id}', context => commentOf(context).reactions),
  ...routesAt('/issues/{number}', context => issueOf(context).reactions),
];

function routesAt(subject: string, reactionsOf: (context: Context) => Reaction[]): Route[] {
  return [
    {
      method: 'GET',
      path: `${subject}/reactions`,
      needs: context => conversation(context, 'read'),
      handle: context => {
        const answer = page(context, '/reactions', reactionsOf(context));
        return { ...answer, body: answer.body.map(reaction => reactionBody(reaction, context.urls)) };
      },
    },
    {
      method: 'POST',
      path: `${subject}/reactions`,
      needs: context => conversation(context, 'write'),
      handle: context => {
        const reactions = reactionsOf(context);
        refuseWhenLocked(context);
        return add(context, reactions);
      },
    },
    {
      method: 'DELETE',
      path: `${subject}/reactions/{reaction}`,
      needs: context => conversation(context, 'write'),
      handle: context => {
        const reactions = reactionsOf(context);
        const at = reactions.findIndex(({ id }) => id === Number(context.params.reaction));
        if (at < 0) throw notFound();
        reactions.splice(at, 1);
        return { status: 204 };
      },
    },
  ];
}

/** That GitHub refuses these too is known, with which words is not. */
function refuseWhenLocked({ repository, params, token }: Context): void {
  const number = Number(params.number ?? repository.comments.get(Number(params.id))?.issue);
  if (repository.issues.get(number)?.locked && !(token && isWriter(repository, token.user)))
    throw new Refusal(403, 'Unable to create reaction because issue is locked.');
}

/** The same reaction of the same user is not added twice: the second answer is 200 instead of 201. */
function add(context: Context, reactions: Reaction[]) {
  const content = textField(context.body, 'content') ?? '';
  if (!CONTENTS.includes(content)) throw invalid({ resource: 'Reaction', field: 'content', code: 'invalid' });
  const user = callerOf(context);
  const known = reactions.find(reaction => reaction.user.id === user.id && reaction.content === content);
  if (known) return { status: 200, body: reactionBody(known, context.urls) };
  const reaction: Reaction = { id: nextId(context.state), user, content, createdAt: timestamp() };
  reactions.push(reaction);
  return { status: 201, body: reactionBody(reaction, context.urls) };
}
