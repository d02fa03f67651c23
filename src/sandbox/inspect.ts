import { z } from 'zod';
import type { Engine } from './engine.ts';

const Strings = z.array(z.string()).nullish();
const Anything = z.array(z.unknown()).nullish();

/** The part of `docker inspect` that we look at. Engines leave out what is empty, in one of three ways. */
const Container = z.object({
  Id: z.string(),
  Name: z.string(),
  Image: z.string(),
  State: z.object({
    Status: z.string().default(''),
    Running: z.boolean(),
    Paused: z.boolean().default(false),
  }),
  Config: z.object({ Image: z.string().default(''), Env: Strings }),
  HostConfig: z.object({
    Privileged: z.boolean().default(false),
    CapAdd: Strings,
    NetworkMode: z.string().default(''),
    PidMode: z.string().default(''),
    IpcMode: z.string().default(''),
    UTSMode: z.string().default(''),
    UsernsMode: z.string().default(''),
    Devices: Anything,
    DeviceRequests: Anything,
    DeviceCgroupRules: Anything,
    SecurityOpt: Strings,
    MaskedPaths: Anything,
    Memory: z.number().default(0),
    NanoCpus: z.number().default(0),
    CpuQuota: z.number().default(0),
    PidsLimit: z.number().nullish(),
  }),
  Mounts: z
    .array(
      z.object({ Type: z.string().default(''), Source: z.string().default(''), Destination: z.string() }),
    )
    .nullish(),
  NetworkSettings: z.object({
    Networks: z.record(z.string(), z.object({ Aliases: Strings }).nullish()).nullish(),
  }),
});

export type ContainerFacts = z.infer<typeof Container>;

/** Facts of all containers that are there; ids of others are left out. */
export async function inspectContainers(engine: Engine, ids: readonly string[]): Promise<ContainerFacts[]> {
  if (ids.length === 0) return [];
  const result = await engine.run(['container', 'inspect', ...ids]);
  const text = result.stdout.toString().trim();
  return text === '' ? [] : z.array(Container).parse(JSON.parse(text));
}

/** `NAME=value` pairs of an image's own environment. */
export async function imageEnvironment(engine: Engine, image: string): Promise<ReadonlySet<string>> {
  const text = await engine.ask(['image', 'inspect', '--format', '{{json .Config.Env}}', image]);
  return new Set(Strings.parse(JSON.parse(text)) ?? []);
}

/** What runs inside, for people and the proof. */
export const imageNameOf = (facts: ContainerFacts): string => `${facts.Config.Image} (${facts.Image})`;

export const networksOf = (facts: ContainerFacts): string[] =>
  Object.keys(facts.NetworkSettings.Networks ?? {}).filter(name => name !== 'none');
