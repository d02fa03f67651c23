import type { EndpointError } from './endpoint-error.ts';

/** What can be left out of a request when an endpoint refuses it. `tools` left out means: described as text instead. */
const REFUSED =
  /unsupported|not support|unknown|unrecogni[sz]ed|not recognized|unexpected|not permitted|not allowed|extra (?:inputs?|fields?|parameters?|properties)|additional propert|forbidden|invalid|only the default|deprecated/i;
// DeepSeek and Kimi name a field because it is missing.
const DEMANDED = /must be (?:passed|provided|set|included)|is (?:required|missing)|missing/i;
const NO_TOOLS =
  /(?:does not|doesn't|do not|not) support (?:the )?(?:use of )?(?:tools?|tool[ _-]?(?:use|calling|calls)|function[ _-]?call\w*)\b|\btools? param requires|tool choice requires|support tool use|tools? (?:is|are) not supported|(?:function|tool) calling is not (?:supported|enabled)/i;

/** The parameter, among those that were sent, that this error refuses; undefined when it says something else. */
export function refusedParameter(error: EndpointError, sent: readonly string[]): string | undefined {
  const words = `${error.code} ${error.message}`;
  if (sent.includes('tools') && NO_TOOLS.test(words)) return 'tools';
  if (error.status !== 400 && error.status !== 422) return undefined;
  if (!REFUSED.test(words) || DEMANDED.test(words)) return undefined;
  // A refused `tools` is mostly a schema with a mistake, which is ours to see.
  const optional = sent.filter(name => name !== 'tools');
  return (
    optional.find(name => isNamed(name, error.param)) ?? optional.find(name => isNamed(name, error.message))
  );
}

const isNamed = (name: string, text: string): boolean =>
  new RegExp(`(?<![\\w-])${name.replace(/[^\w]/g, '\\$&')}(?![\\w-])`).test(text);
