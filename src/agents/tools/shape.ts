import { type Tool, toolSpec } from './tool.ts';

/** The part of a tool's JSON schema that its arguments are fitted to and explained by. */
export interface Shape {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly items?: Shape;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
}

export const shapeOf = (tool: Tool): Shape => toolSpec(tool).parameters as Shape;

/** For the model: `{path, edits: [{old, new, replace_all?}]}`. What is optional stands there by name only. */
export function shapeText({ properties = {}, required = [] }: Shape): string {
  const parts = Object.entries(properties).map(([name, property]) =>
    required.includes(name) ? name + insideText(property) : `${name}?`,
  );
  return `{${parts.join(', ')}}`;
}

const insideText = ({ items, properties }: Shape): string => {
  if (items) return items.properties ? `: [${shapeText(items)}]` : ': [text]';
  return properties ? `: ${shapeText({ properties })}` : '';
};

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
