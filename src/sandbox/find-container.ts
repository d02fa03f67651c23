import { UserError } from '../errors.ts';
import type { Engine } from './engine.ts';
import { type ContainerFacts, inspectContainers } from './inspect.ts';

/** Finds a container by id, name or network alias. Throws a UserError when there is none, or more than one. */
export async function findContainer(engine: Engine, wanted: string): Promise<ContainerFacts> {
  if (!/^[A-Za-z0-9][A-Za-z0-9_.-]*$/.test(wanted)) throw notFound(wanted, 'this can not be the name of one');
  const [exact] = await inspectContainers(engine, [wanted]);
  if (exact) return exact;

  const running = await engine.ask(['ps', '--quiet', '--no-trunc']);
  const all = await inspectContainers(engine, running.split('\n').filter(Boolean));
  const matches = all.filter(facts => aliasesOf(facts).has(wanted));
  const [match, second] = matches;
  if (!match) throw notFound(wanted, `${all.length} others are running`);
  if (!second) return match;
  const names = matches.map(({ Name }) => Name.replace(/^\//, '')).join(', ');
  throw new UserError(
    `Several containers have the network alias ${wanted}: ${names}.`,
    `Pass the id: \`${containerInput(wanted)}\`.`,
  );
}

/** The line of a workflow that names a service of its job. */
export const containerInput = (service: string): string =>
  `sandbox-container: \${{ job.services.${service}.id }}`;

const aliasesOf = ({ NetworkSettings }: ContainerFacts): ReadonlySet<string> =>
  new Set(Object.values(NetworkSettings.Networks ?? {}).flatMap(network => network?.Aliases ?? []));

const notFound = (wanted: string, why: string): UserError =>
  new UserError(
    `There is no container ${JSON.stringify(wanted)} (${why}).`,
    `Pass the id of a service of this job: \`${containerInput('sandbox')}\`. ` +
      'A service that ended before the first step is not there any more; `options: --tty` keeps it.',
  );
